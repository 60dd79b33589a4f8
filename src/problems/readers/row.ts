import { z } from 'zod';
import { PointsmanError } from '../../contract/errors';
import { type Problem, Problem as ProblemSchema } from '../../contract/problem';

export interface ReadOptions {
  /** Put before image names that a rule makes, like `registry.example/owner/`. */
  readonly registry?: string | undefined;
}

/** Data sets write lists as JSON arrays or as JSON in a string; both mean the same. */
export const Ids = z.preprocess((value, context) => {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    context.addIssue({ code: 'custom', message: 'neither a list nor JSON of one' });
    return z.NEVER;
  }
}, z.array(z.string()));

/** A value that may be JSON in a string. */
export function unwrapJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** Reads JSONL (or one JSON array). Throws `InvalidInput` that names the line and the field. */
export function rowsOf(text: string): { line: number; value: unknown }[] {
  if (text.trimStart().startsWith('[')) {
    return (parseJson(text, 1) as unknown[]).map((value, at) => ({ line: at + 1, value }));
  }
  return text
    .split('\n')
    .map((line, at) => ({ line: at + 1, text: line }))
    .filter((each) => each.text.trim() !== '')
    .map((each) => ({ line: each.line, value: parseJson(each.text, each.line) }));
}

export function parseRow<T>(schema: z.ZodType<T>, value: unknown, line: number): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalidRow(line, `${issue?.path.map(String).join('.') || 'row'}: ${issue?.message}`);
}

export function asProblem(problem: z.input<typeof ProblemSchema>, line: number): Problem {
  return parseRow(ProblemSchema, problem, line);
}

export function invalidRow(line: number, what: string): PointsmanError {
  return new PointsmanError(
    'InvalidInput',
    `line ${line}: ${what}`,
    'Check that --format is the one that the rows have.',
  );
}

function parseJson(text: string, line: number): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw invalidRow(line, `not JSON: ${(error as Error).message}`);
  }
}
