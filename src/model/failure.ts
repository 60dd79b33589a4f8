import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { type ErrorCode, isPointsmanError, type PointsmanError } from '../contract';
import { ModelError } from './errors';

/** Codes that another attempt with the same input cannot mend. */
const FINAL: ReadonlySet<ErrorCode> = new Set([
  'InvalidInput',
  'NotFound',
  'FrameLost',
  'HostLost',
  'BudgetExhausted',
  'ModelRejected',
  'ContextWindowExceeded',
  'DigestMismatch',
  'TooLarge',
]);

/**
 * What an activity throws for `error`: an `ApplicationFailure` whose `type` is the code, with the server's wait as
 * `nextRetryDelay`. A 429 is BENIGN: it is expected and must not page anybody. Anything that is not ours (cancellation
 * above all) comes back as it is.
 */
export function failureOf(error: unknown): unknown {
  if (!isPointsmanError(error)) return error;
  const wait = error instanceof ModelError ? error.retryAfterMs : undefined;
  return ApplicationFailure.create({
    type: error.code,
    message: error.hint === '' ? error.message : `${error.message} — ${error.hint}`,
    nonRetryable: isFinal(error),
    nextRetryDelay: wait,
    ...(error.code === 'RateLimited' ? { category: ApplicationFailureCategory.BENIGN } : {}),
    details: [{ hint: error.hint }],
  });
}

function isFinal(error: PointsmanError): boolean {
  return error instanceof ModelError ? !error.retryable : FINAL.has(error.code);
}
