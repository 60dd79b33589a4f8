/**
 * Every failure a person can meet says what happened (`message`), how a program recognises it (`code`)
 * and what to do next (`hint`). Codes cross the Temporal boundary as `ApplicationFailure.type`.
 */
export type ErrorCode =
  | 'InvalidInput'
  | 'NotFound'
  | 'SandboxLost'
  | 'FrameLost'
  | 'SandboxFailed'
  | 'BudgetExhausted'
  | 'ModelRejected'
  | 'ContextWindowExceeded'
  | 'RateLimited'
  | 'ModelServerError'
  | 'ModelTimeout'
  | 'ModelUnreachable'
  | 'ModelMalformed'
  | 'DigestMismatch'
  | 'Unavailable';

export class SwitchyardError extends Error {
  override readonly name = 'SwitchyardError';
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly hint: string = '',
  ) {
    super(message);
  }
}

export function isSwitchyardError(error: unknown): error is SwitchyardError {
  return error instanceof Error && error.name === 'SwitchyardError' && 'code' in error;
}
