import { ApplicationFailure } from '@temporalio/workflow';
import type { z } from 'zod';
import { isPointsmanError, parseInput } from '../../contract';

/** The first line of every workflow: bad input fails the run at once, naming field, found and expected. */
export function checked<T>(schema: z.ZodType<T>, input: unknown, what: string): T {
  try {
    return parseInput(schema, input, what);
  } catch (error) {
    if (!isPointsmanError(error)) throw error;
    return refuse(error.message, error.hint);
  }
}

/** Ends the run (or refuses the update) as `InvalidInput`. */
export function refuse(message: string, hint = ''): never {
  throw ApplicationFailure.create({
    type: 'InvalidInput',
    message: hint === '' ? message : `${message} — ${hint}`,
    nonRetryable: true,
    details: [{ hint }],
  });
}
