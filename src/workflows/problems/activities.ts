import { proxyActivities } from '@temporalio/workflow';
import type { createModelActivities } from '../../activities/model';
import type { createFunctionProblemActivities } from '../../activities/problems/function-problem';
import type { createFunctionProblemsActivities } from '../../activities/problems/function-problems';
import type { createHarnessAuthorActivities } from '../../activities/problems/harness-author';
import type { createUndoActivities } from '../../activities/undo';
import type { Queues } from '../../contract';
import type { Owner } from '../../sandbox/labels';
import { Compensations } from '../durable/compensations';
import { type ModelQueue, modelCall, onAnyHost, STORE } from '../durable/retry';

type OnHost = ReturnType<typeof createFunctionProblemActivities> &
  ReturnType<typeof createFunctionProblemsActivities> &
  ReturnType<typeof createUndoActivities>;

/** On any host with room. An attempt makes its own containers, so trouble with one host is tried again on another. */
export function harnessActivities(queues: Queues) {
  return proxyActivities<OnHost>(onAnyHost(queues));
}

/** Removes what a killed worker left of a run, and images that its containers started from. Those of other hosts are the janitor's. */
export async function releaseHarness(
  sandboxes: ReturnType<typeof harnessActivities>,
  owner: Owner,
  summary: string,
): Promise<void> {
  const undo = new Compensations([{ kind: 'leftovers' }], (records) =>
    sandboxes.undo.executeWithOptions({ summary: summary.slice(0, 120) }, [{ owner, records }]),
  );
  await undo.run();
}

/** Questions to a model: tried until the provider is back, and what was answered is never asked again. */
export function authorActivities(queue: ModelQueue) {
  return proxyActivities<ReturnType<typeof createHarnessAuthorActivities>>(modelCall(queue));
}

/** Reads and writes blobs, where the workflow runs. */
export const functionStore = proxyActivities<
  Pick<
    ReturnType<typeof createFunctionProblemsActivities>,
    'environmentOf' | 'functionsFrom' | 'keepEnds' | 'writeProblems'
  > &
    Pick<ReturnType<typeof createFunctionProblemActivities>, 'concludeFunction'> &
    Pick<ReturnType<typeof createModelActivities>, 'checkProfiles'>
>(STORE);
