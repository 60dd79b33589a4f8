import { Context } from '@temporalio/activity';
import { failureOf } from '../model/failure';

/** Beats within the time after which the server gives an attempt up: one may be late. Each is an action that a cloud bills. */
const BEATS = 2.5;

/**
 * Runs an activity's work while telling the server that this process lives, often enough for the activity's own heartbeat
 * timeout, after which a killed worker is noticed. `work` gets a signal that aborts when the activity is cancelled or the worker shuts down. What it throws
 * leaves as an `ApplicationFailure` with our code.
 */
export async function withHeartbeat<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  const timeoutMs = context.info.heartbeatTimeoutMs || 10_000;
  const beat = setInterval(() => context.heartbeat(), timeoutMs / BEATS);
  try {
    return await work(context.cancellationSignal);
  } catch (error) {
    // The reason of the cancellation, and not whatever broke because of it, tells the server what happened.
    if (context.cancellationSignal.aborted) throw context.cancellationSignal.reason;
    throw failureOf(error);
  } finally {
    clearInterval(beat);
  }
}
