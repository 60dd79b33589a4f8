import { z } from 'zod';
import { PointsmanError } from '../../contract/errors';
import { type Problem, Problem as ProblemSchema } from '../../contract/problem';
import { fileOfTestId } from '../test-files';
import { readPythonList } from './python-list';

export interface ReadOptions {
  /** Put before image names that a rule makes, like `registry.example/owner/`. */
  readonly registry?: string | undefined;
}

/** A problem, and what whoever imports it should know of it. */
export interface ReadRow {
  readonly problem: Problem;
  readonly notes: readonly string[];
}

/** One format of rows. */
export interface RowReader {
  /** Whether the fields are those of this data set: asked in the order of the table. */
  is(fields: Readonly<Record<string, unknown>>): boolean;
  /** Throws `InvalidInput` that names the line and the field. */
  read(value: unknown, line: number, options: ReadOptions): ReadRow;
}

/** Data sets write lists as JSON arrays, as JSON in a string or as Python in a string; all mean the same. */
export const Ids = z.preprocess((value, context) => {
  if (typeof value !== 'string') return value ?? [];
  try {
    return JSON.parse(value) as unknown;
  } catch {
    const list = readPythonList(value);
    if (list) return list;
    context.addIssue({ code: 'custom', message: 'neither a list nor JSON or Python of one' });
    return z.NEVER;
  }
}, z.array(z.string()));

/** A command, or several one after the other as they are given. */
export const Commands = z.preprocess(
  (value) => {
    if (value === undefined || value === null) return [];
    if (typeof value !== 'string') return value;
    if (!value.trimStart().startsWith('[')) return [value];
    const list = unwrapJson(value);
    return list === value ? (readPythonList(value) ?? [value]) : list;
  },
  z.array(z.string()).transform((all) => all.filter((each) => each.trim() !== '')),
);

/** A text that tables may hold as null or as nothing. */
export const Text = z.string().optional();

/** A value that may be JSON in a string. */
export function unwrapJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** Parses a row. Nulls and empty texts of tables are absences. */
export function parseRow<T>(schema: z.ZodType<T>, value: unknown, line: number): T {
  const parsed = schema.safeParse(withoutAbsences(value));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalidRow(line, `${issue?.path.map(String).join('.') || 'row'}: ${issue?.message}`);
}

function withoutAbsences(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null && each !== ''));
}

/** The problem, checked; its tests and its files lie in the repository. */
export function asProblem(problem: z.input<typeof ProblemSchema>, line: number): Problem {
  const read = parseProblem(problem, line);
  const { failToPass, passToPass } = read.tests;
  for (const path of new Set([...failToPass, ...passToPass].filter((id) => id.includes('::')).map(fileOfTestId))) {
    if (isOutside(path)) throw invalidRow(line, `${JSON.stringify(path.slice(0, 80))} lies outside of the repository`);
  }
  return read;
}

function parseProblem(problem: z.input<typeof ProblemSchema>, line: number): Problem {
  const parsed = ProblemSchema.safeParse(problem);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalidRow(line, `${issue?.path.map(String).join('.') || 'row'}: ${issue?.message}`);
}

function isOutside(path: string): boolean {
  return path.startsWith('/') || path.split('/').includes('..');
}

/** Files of tests, each once, for a shell; a path that lies outside of the repository is refused. */
export function shellPaths(paths: Iterable<string>, line: number): string {
  const all = [...new Set(paths)];
  const outside = all.find(isOutside);
  if (outside !== undefined)
    throw invalidRow(line, `${JSON.stringify(outside.slice(0, 80))} lies outside of the repository`);
  return all.map((path) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)).join(' ');
}

export function invalidRow(line: number, what: string): PointsmanError {
  return new PointsmanError(
    'InvalidInput',
    `line ${line}: ${what}`,
    'Check that --format is the one that the rows have.',
  );
}
