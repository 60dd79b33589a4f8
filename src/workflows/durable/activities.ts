import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { createGradingActivities } from '../../activities/grading';
import type { createModelActivities } from '../../activities/model';
import type { createSandboxActivities } from '../../activities/rollout/sandbox';
import type { createUndoActivities } from '../../activities/undo';
import type { Queues } from '../../contract';
import { HEARTBEAT, lostAfter, type ModelQueue, modelCall, onAnyHost, RETRY } from './retry';

type Sandboxed = ReturnType<typeof createSandboxActivities> & ReturnType<typeof createUndoActivities>;

/** A provider may be away for hours: tried until then, and what was answered is never asked again. */
export function modelActivities(queue: ModelQueue) {
  return proxyActivities<ReturnType<typeof createModelActivities>>(modelCall(queue));
}

/**
 * On the one host that holds the sandbox. A lost sandbox is the workflow's to rebuild and one
 * that was tampered with is its end, so they are not retried here.
 */
export function hostActivities(host: string, commandSeconds: number) {
  return proxyActivities<Sandboxed & Pick<ReturnType<typeof createGradingActivities>, 'judgeSandbox'>>({
    taskQueue: host,
    startToCloseTimeout: (commandSeconds + 120) * 1000,
    ...lostAfter(host),
    heartbeatTimeout: HEARTBEAT,
    retry: { ...RETRY, nonRetryableErrorTypes: ['SandboxLost', 'Tampered'] },
    // The container must be quiet before anything is undone.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  });
}

/** On any host with room. Making or rebuilding a sandbox is tried for half an hour before the run parks. */
export function poolActivities(queues: Queues) {
  return proxyActivities<Sandboxed>(onAnyHost(queues));
}
