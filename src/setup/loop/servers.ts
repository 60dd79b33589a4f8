import type { ServiceSpec } from '../../contract';
import { quote } from '../../rollout/shell';
import { guestProgram } from '../guest';

/** Name of the function in `servers.sh`; with ours in front, because steps bring functions of their own along. */
const START = 'pointsman_start';

/** The step that starts a service of the sandbox, for those that come after it: they may fill its database. */
export function startCommand({ name, start = 'true', health, port, env }: ServiceSpec): string {
  const ready = health ?? `exec 3<>/dev/tcp/127.0.0.1/${port}`;
  const variables = Object.entries(env).map(([key, value]) => `${key}=${quote(value)} `);
  return `${variables.join('')}${START} ${quote(name)} ${quote(start)} ${quote(ready)}`;
}

/** Whether a step of the script starts a server. */
export function startsServer(command: string): boolean {
  return command.includes(`${START} `);
}

/**
 * Nobody keeps a server that a script starts: an image has files and no processes. So the script ends those that it started,
 * which writes what they hold. Whoever runs it on a machine of their own has other processes there: a server's are those
 * that it forked, and those that went into the background with its variable.
 */
export const SERVERS = guestProgram('servers.sh');

export const STOP_SERVERS = 'pointsman_stop';
