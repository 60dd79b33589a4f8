import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { createSetupEvidenceActivities } from '../../activities/setup/evidence';
import type { createSetupMemoryActivities } from '../../activities/setup/memory';
import type { createSetupMoveActivities } from '../../activities/setup/moves';
import type { createSetupPrepareActivities } from '../../activities/setup/prepare';
import type { createSetupRaceActivities } from '../../activities/setup/race';
import type { createSetupResultActivities } from '../../activities/setup/result';
import type { createSetupSandboxActivities } from '../../activities/setup/sandbox';
import type { createUndoActivities } from '../../activities/undo';
import type { Queues, Ref, SetupLimits } from '../../contract';
import { HEARTBEAT, lostAfter, type ModelQueue, modelCall, onAnyHost, RETRY } from '../durable/retry';

/** Decisions: by a policy of ours at once, by a provider whenever it is back. */
export function moveActivities(queue: ModelQueue) {
  return proxyActivities<ReturnType<typeof createSetupMoveActivities>>(modelCall(queue));
}

type OnHost = ReturnType<typeof createSetupPrepareActivities> &
  ReturnType<typeof createSetupSandboxActivities> &
  ReturnType<typeof createUndoActivities> &
  ReturnType<typeof createSetupEvidenceActivities> &
  ReturnType<typeof createSetupRaceActivities> &
  ReturnType<typeof createSetupResultActivities> &
  ReturnType<typeof createSetupMemoryActivities>;

/**
 * On the one host that holds the sandbox and its frames; see `hostActivities`. The longest of them is a race, which runs a
 * trial and then the command that had failed; a rebuild has a time of its own, `rebuildTimeout`.
 */
export function setupHost(host: string, commandSeconds: number) {
  return proxyActivities<OnHost>({
    taskQueue: host,
    startToCloseTimeout: (2 * commandSeconds + 300) * 1000,
    ...lostAfter(host),
    heartbeatTimeout: HEARTBEAT,
    retry: { ...RETRY, maximumAttempts: 30, nonRetryableErrorTypes: ['SandboxLost', 'Tampered'] },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  });
}

/** The script, which may take as long as a whole set-up, then the tests, and what it takes to unpack sources and take a frame. */
export function rebuildTimeout({ commandSeconds, wallClockSeconds }: SetupLimits): number {
  return (Math.max(commandSeconds, wallClockSeconds) + commandSeconds + 600) * 1000;
}

/** Reads and writes blobs, where the workflow runs. */
export const setupStore = proxyActivities<
  Pick<ReturnType<typeof createSetupSandboxActivities>, 'appendSetupStep' | 'keepText'> &
    Pick<
      ReturnType<typeof createSetupEvidenceActivities>,
      'concludeVerifier' | 'concludeProsecutor' | 'concludeJudge'
    > &
    Pick<ReturnType<typeof createSetupMemoryActivities>, 'rivalUnits'>
>({ startToCloseTimeout: '10 minutes', retry: { ...RETRY, maximumAttempts: 30 } });

/** A text as a blob, for a command that the loop makes up. */
export function keepText(text: string): Promise<Ref> {
  return setupStore.keepText.executeWithOptions({ summary: text.slice(0, 120) }, [{ text }]);
}

/** On any host with room: fetching sources and making the sandbox is tried for half an hour before the run parks. */
export function setupPool(queues: Queues) {
  return proxyActivities<OnHost>(onAnyHost(queues));
}
