import {
  ActivityFailure,
  ApplicationFailure,
  ChildWorkflowFailure,
  isCancellation,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { ErrorCode } from '../../contract';

/** Our code of what an activity or child failed with, or undefined when it failed with something else. */
export function codeOf(error: unknown): ErrorCode | undefined {
  const cause = causeOf(error);
  return cause instanceof ApplicationFailure ? (cause.type as ErrorCode | undefined) : undefined;
}

export function messageOf(error: unknown): string {
  const cause = causeOf(error);
  return cause instanceof Error ? cause.message : String(cause);
}

/** The host that ran the sandbox no longer takes its tasks: it said so, nobody started one in time, or it fell silent for good. */
export function isHostLost(error: unknown): boolean {
  if (codeOf(error) === 'HostLost') return true;
  const cause = causeOf(error);
  return cause instanceof TimeoutFailure && ['SCHEDULE_TO_START', 'HEARTBEAT'].includes(cause.timeoutType ?? '');
}

/** The frames of the sandbox are gone, with their host or by themselves: only what was recorded can make it again. */
export function areFramesLost(error: unknown): boolean {
  return isHostLost(error) || codeOf(error) === 'FrameLost';
}

export { isCancellation };

/** What went wrong in the end: a child fails because an activity did, and neither says why. */
function causeOf(error: unknown): unknown {
  let cause = error;
  while ((cause instanceof ActivityFailure || cause instanceof ChildWorkflowFailure) && cause.cause)
    cause = cause.cause;
  return cause;
}
