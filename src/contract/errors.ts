/**
 * Every failure a person can meet says what happened (`message`), how a program recognises it (`code`)
 * and what to do next (`hint`). Codes cross the Temporal boundary as `ApplicationFailure.type`.
 */
export type ErrorCode =
  | 'InvalidInput'
  | 'NotFound'
  | 'SandboxLost'
  | 'HostLost'
  | 'FrameLost'
  | 'SandboxFailed'
  | 'Tampered'
  | 'BudgetExhausted'
  | 'ModelRejected'
  | 'ContextWindowExceeded'
  | 'RateLimited'
  | 'ModelServerError'
  | 'ModelTimeout'
  | 'ModelUnreachable'
  | 'ModelMalformed'
  | 'DigestMismatch'
  | 'TooLarge'
  | 'Unavailable';

export class PointsmanError extends Error {
  override readonly name = 'PointsmanError';
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly hint: string = '',
  ) {
    super(message);
  }
}

export function isPointsmanError(error: unknown): error is PointsmanError {
  return error instanceof Error && error.name === 'PointsmanError' && 'code' in error;
}
