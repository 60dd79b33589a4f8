import { proxyActivities } from '@temporalio/workflow';
import type { createJanitorActivities } from '../activities/janitor';
import { type Drained, DrainInput } from '../contract';
import { checked } from './durable/input';
import { ownQueues } from './durable/queues';

/** Tells a host to take nothing new, to let what it has end or go on elsewhere, and to end then. Gives what it has. */
export async function drain(raw: DrainInput): Promise<Drained> {
  const { host } = checked(DrainInput, raw, 'drain');
  const { drainHost } = proxyActivities<ReturnType<typeof createJanitorActivities>>({
    taskQueue: ownQueues().host(host),
    startToCloseTimeout: '1 minute',
    scheduleToStartTimeout: '1 minute',
    retry: { maximumAttempts: 3 },
  });
  return drainHost.executeWithOptions({ summary: `drain ${host}` }, []);
}
