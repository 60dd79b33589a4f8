import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { createJanitorActivities, Sweep } from '../activities/janitor';
import { JanitorInput } from '../contract';
import { messageOf } from './durable/failures';
import { checked } from './durable/input';
import { ownQueues } from './durable/queues';

export type HostSweep = { readonly host: string } & ({ readonly swept: Sweep } | { readonly failed: string });

/**
 * Removes containers, images and networks that no running workflow owns, host by host. Started by a schedule every few
 * minutes, or by hand with `pointsman janitor run`. A host that does not answer is reported and does not stop the rest.
 */
export async function janitor(raw: JanitorInput): Promise<HostSweep[]> {
  const input = checked(JanitorInput, raw, 'janitor');
  const queues = ownQueues();
  const sweeps = await Promise.all(
    input.hosts.map(async (host): Promise<HostSweep> => {
      const { sweepHost } = proxyActivities<ReturnType<typeof createJanitorActivities>>({
        taskQueue: queues.host(host),
        startToCloseTimeout: '10 minutes',
        scheduleToStartTimeout: '1 minute',
        heartbeatTimeout: '20 seconds',
        retry: { maximumAttempts: 3 },
      });
      try {
        const swept = await sweepHost.executeWithOptions({ summary: `sweep ${host}` }, [
          { olderThanSeconds: input.olderThanSeconds },
        ]);
        return { host, swept };
      } catch (error) {
        return { host, failed: messageOf(error) };
      }
    }),
  );
  setCurrentDetails(
    sweeps
      .map(
        (each) => `- ${each.host}: ${'swept' in each ? `removed ${each.swept.removedRuns.length} runs` : each.failed}`,
      )
      .join('\n'),
  );
  return sweeps;
}
