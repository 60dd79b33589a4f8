import { type Client, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import type { JanitorInput } from '../contract';

export interface JanitorSchedule {
  readonly queue: string;
  readonly input: Pick<JanitorInput, 'hosts'> & Partial<JanitorInput>;
  readonly everySeconds: number;
}

export const janitorId = (hosts: readonly string[]) => `janitor-${hosts.join('+')}`;

/**
 * Has hosts swept regularly. One that exists is brought up to date, or left as it is with `keep`; a sweep that still runs is
 * not overtaken. Safe to repeat.
 */
export async function scheduleJanitor(
  client: Client,
  { queue, input, everySeconds }: JanitorSchedule,
  { keep = false } = {},
): Promise<'created' | 'updated' | 'kept'> {
  const id = janitorId(input.hosts);
  const spec = { intervals: [{ every: everySeconds * 1000 }] };
  const policies = { overlap: ScheduleOverlapPolicy.SKIP };
  const action = {
    type: 'startWorkflow' as const,
    workflowType: 'janitor',
    taskQueue: queue,
    args: [input],
    workflowId: id,
  };
  try {
    await client.schedule.create({ scheduleId: id, spec, policies, action });
    return 'created';
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    if (keep) return 'kept';
    await client.schedule.getHandle(id).update((before) => ({ ...before, spec, policies, action }));
    return 'updated';
  }
}

/** The host is no more. Forgetting what is not there is success. */
export async function forgetJanitor(client: Client, host: string): Promise<void> {
  await client.schedule
    .getHandle(janitorId([host]))
    .delete()
    .catch(() => {});
}
