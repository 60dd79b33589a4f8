import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { createGradingActivities } from '../../activities/problems/grading';
import type { createProblemActivities } from '../../activities/problems/problem';
import { type ProblemCheckResult, queuesUnder, type Ref } from '../../contract';
import type { Owner } from '../../sandbox/labels';
import { RETRY, STORE } from '../durable/retry';

/** Work on problems that needs no sandbox. */
export const problemStore = proxyActivities<ReturnType<typeof createProblemActivities>>(STORE);

/** On any host with room. An attempt makes its own container, so trouble with one host is tried again on another. */
export function gradingActivities(taskQueue: string) {
  return proxyActivities<ReturnType<typeof createGradingActivities> & ReturnType<typeof createProblemActivities>>({
    taskQueue: queuesUnder(taskQueue).sandboxes,
    startToCloseTimeout: '6 hours',
    heartbeatTimeout: '20 seconds',
    retry: { ...RETRY, maximumAttempts: 20 },
    // The container must be gone before the run is.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  });
}

/**
 * Doing nothing once and the gold patch `runs` times, each in a container of its own and one after another: tests that
 * share a busy machine fail by timing, which is not their fault.
 */
export async function measure(
  taskQueue: string,
  owner: Owner,
  problem: Ref,
  runs: number,
): Promise<ProblemCheckResult> {
  const sandboxes = gradingActivities(taskQueue);
  const none = (await problemStore.keepPatch({ patch: '' })).patch;
  const { patch: gold } = await problemStore.goldPatch({ problem });
  const noop = await sandboxes.gradePatch.executeWithOptions({ summary: 'tests without a fix' }, [
    { owner, problem, patch: none, role: 'check-noop' },
  ]);
  const grades = [];
  for (let run = 1; run <= runs; run++) {
    grades.push(
      await sandboxes.gradePatch.executeWithOptions({ summary: `tests with the gold patch, run ${run} of ${runs}` }, [
        { owner, problem, patch: gold, role: `check-gold-${run}` },
      ]),
    );
  }
  return sandboxes.compareGrades({ problem, noop, gold: grades });
}
