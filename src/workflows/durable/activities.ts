import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { createGradingActivities } from '../../activities/grading';
import type { createSandboxActivities } from '../../activities/rollout/sandbox';
import type { createTurnActivities } from '../../activities/rollout/turn';
import type { createUndoActivities } from '../../activities/undo';
import type { Queues } from '../../contract';
import { HEARTBEAT, lostAfter, type ModelQueue, modelCall, onAnyHost, RETRY } from './retry';

type Sandboxed = ReturnType<typeof createSandboxActivities> & ReturnType<typeof createUndoActivities>;
type Turns = ReturnType<typeof createTurnActivities>;

// The container must be quiet before anything is undone.
const QUIET = { cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED } as const;

/** A turn's question, and with it the action where the sandbox is in the same place. */
export function turnActivities(queue: ModelQueue) {
  const { callModel } = proxyActivities<Turns>(modelCall(queue));
  const { takeTurn } = proxyActivities<Turns>({ ...modelCall(queue), ...QUIET });
  return { callModel, takeTurn };
}

/**
 * On the one host that holds the sandbox. A lost sandbox is the workflow's to rebuild and one
 * that was tampered with is its end, so they are not retried here.
 */
export function hostActivities(host: string, commandSeconds: number) {
  type OnHost = Sandboxed & Pick<Turns, 'runTool'> & Pick<ReturnType<typeof createGradingActivities>, 'judgeSandbox'>;
  return proxyActivities<OnHost>({
    taskQueue: host,
    startToCloseTimeout: (commandSeconds + 120) * 1000,
    ...lostAfter(host),
    heartbeatTimeout: HEARTBEAT,
    retry: { ...RETRY, nonRetryableErrorTypes: ['SandboxLost', 'Tampered'] },
    ...QUIET,
  });
}

/** On any host with room. Making or rebuilding a sandbox is tried for half an hour before the run parks. */
export function poolActivities(queues: Queues) {
  return proxyActivities<Sandboxed>(onAnyHost(queues));
}
