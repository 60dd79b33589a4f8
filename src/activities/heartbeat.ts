import { Context } from '@temporalio/activity';
import { failureOf } from '../model/failure';

const BEAT_MS = 2_000;

/**
 * Runs an activity's work while telling the server every 2 s that this process lives, so that a killed worker is noticed
 * in seconds. `work` gets a signal that aborts when the activity is cancelled or the worker shuts down. What it throws
 * leaves as an `ApplicationFailure` with our code.
 */
export async function withHeartbeat<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  const beat = setInterval(() => context.heartbeat(), BEAT_MS);
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
