import { type MakeSandboxes, openSandboxes } from 'pointsman';

/** The Docker engine, under names of its own; an engine elsewhere would be asked here. */
const remote: MakeSandboxes = (scope, secret, allowed) => openSandboxes(`remote/${scope}`, secret, allowed);

export default remote;
