import type Docker from 'dockerode';
import { ignoreMissing, statusOf } from './engine';
import { LABEL } from './labels';

/**
 * The network of every sandbox that may go out: one for all runs, because an engine has addresses for few networks, with
 * the ways between its containers shut, so that a service which one run starts cannot be reached by another.
 */
export const EGRESS_NETWORK = 'pointsman-egress';

let made: Promise<void> | undefined;

/** Makes it where it is missing. Idempotent, also beside other processes that make it at the same time. */
export async function ensureEgress(docker: Docker): Promise<string> {
  made ??= settle(docker).finally(() => {
    made = undefined;
  });
  await made;
  return EGRESS_NETWORK;
}

/** An engine lets two of one name come about. Everybody agrees on which of them stays, as nothing tells them apart. */
async function settle(docker: Docker): Promise<void> {
  let found = await named(docker);
  if (found.length === 1) return;
  if (found.length === 0) {
    await docker.createNetwork({
      Name: EGRESS_NETWORK,
      Options: { 'com.docker.network.bridge.enable_icc': 'false' },
      Labels: { [LABEL.managed]: '1', [LABEL.lease]: 'environment' },
    });
    found = await named(docker);
  }
  const [, ...others] = found.map(({ Id }) => Id).sort();
  for (const id of others) {
    await ignoreMissing(docker.getNetwork(id).remove()).catch((error: unknown) => {
      // A sandbox that is in it already keeps it until a later call.
      if (statusOf(error) !== 403) throw error;
    });
  }
}

async function named(docker: Docker): Promise<{ readonly Id: string }[]> {
  const found = await docker.listNetworks({ filters: { name: [EGRESS_NETWORK] } });
  return found.filter(({ Name }) => Name === EGRESS_NETWORK);
}
