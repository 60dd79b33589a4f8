import type { z } from 'zod';
import { PointsmanError } from './errors';

/**
 * Parses a workflow's or command's input. Throws `InvalidInput` that names each field, what was found and what was
 * expected, and for an unknown field the known one that looks most like it.
 */
export function parseInput<T>(schema: z.ZodType<T>, input: unknown, what: string): T {
  const parsed = schema.safeParse(input, { reportInput: true });
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.flatMap((issue) => describeIssue(issue, schema, []));
  throw new PointsmanError(
    'InvalidInput',
    `${what}: ${lines.join('; ')}`,
    'Compare with the schema in examples/schemas/ and the inputs in examples/.',
  );
}

function describeIssue(issue: z.core.$ZodIssue, schema: z.ZodType, prefix: PropertyKey[]): string[] {
  const path = [...prefix, ...issue.path];
  const at = path.length === 0 ? 'input' : path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(schema, path);
    return issue.keys.map((key) => {
      const close = nearest(key, known);
      const allowed = known.length > 0 ? ` (known: ${known.join(', ')})` : '';
      return `${at === 'input' ? key : `${at}.${key}`}: unknown field${close ? `, did you mean "${close}"?` : allowed}`;
    });
  }
  if (issue.code === 'invalid_key') return issue.issues.flatMap((inner) => describeIssue(inner, schema, path));
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const best = issue.errors.reduce((a, b) => (meantMore(b, a) ? b : a));
    if (specificity(best) > 0) return best.flatMap((inner) => describeIssue(inner, schema, path));
  }
  const found = issue.input === undefined ? 'nothing' : preview(issue.input);
  return [`${at}: ${issue.message}${alternatives(issue)} (found ${found})`];
}

/** `: expected string or object` for a union of which nothing fits; a bare "Invalid input" helps nobody. */
function alternatives(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_union') return '';
  const expected = issue.errors.flat().flatMap((inner) => (inner.code === 'invalid_type' ? [inner.expected] : []));
  return expected.length > 0 ? `: expected ${[...new Set(expected)].join(' or ')}` : '';
}

/** Of two alternatives with errors as deep, the one that knows more of the fields, then the one of which more fits. */
function meantMore(one: readonly z.core.$ZodIssue[], other: readonly z.core.$ZodIssue[]): boolean {
  const strange = strangeFields(other) - strangeFields(one);
  return (specificity(one) - specificity(other) || strange || other.length - one.length) > 0;
}

function strangeFields(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 0), 0);
}

/** An alternative of a union whose errors lie deepest is the one the writer meant. */
function specificity(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(0, ...issues.map((i) => i.path.length + (i.code === 'unrecognized_keys' ? 1 : 0)));
}

function preview(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

function knownKeys(schema: z.ZodType, path: PropertyKey[]): string[] {
  const keys = new Set<string>();
  for (const at of descend(schema, path)) for (const key of Object.keys(shapeOf(at) ?? {})) keys.add(key);
  return [...keys];
}

function descend(schema: unknown, path: PropertyKey[]): unknown[] {
  const options = unwrap(schema);
  const [head, ...rest] = path;
  if (head === undefined) return options;
  return options.flatMap((option) => {
    const shape = shapeOf(option);
    if (shape) return shape[String(head)] === undefined ? [] : descend(shape[String(head)], rest);
    const def = defOf(option);
    const inner = def.element ?? def.valueType;
    return inner === undefined ? [] : descend(inner, rest);
  });
}

type Def = {
  type?: string;
  innerType?: unknown;
  in?: unknown;
  options?: unknown[];
  element?: unknown;
  valueType?: unknown;
};

function defOf(schema: unknown): Def {
  return (schema as { def?: Def }).def ?? {};
}

function shapeOf(schema: unknown): Record<string, unknown> | undefined {
  return (schema as { shape?: Record<string, unknown> }).shape;
}

/** Optional, default, pipe and union wrappers off, so that what remains has a shape, an element or neither. */
function unwrap(schema: unknown): unknown[] {
  const def = defOf(schema);
  if (def.innerType !== undefined) return unwrap(def.innerType);
  if (def.type === 'pipe' && def.in !== undefined) return unwrap(def.in);
  if (def.options !== undefined) return def.options.flatMap(unwrap);
  return [schema];
}

/** The candidate within an edit distance that a typing slip explains, or undefined. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, substituted));
    }
    row = next;
  }
  return row[b.length]!;
}

const ONE_A_LINE = 'Such a file holds one JSON object a line.';

export interface NumberedLine {
  readonly line: string;
  /** The file and the line's number from 1, as errors name it: `problems.jsonl: line 3`. */
  readonly where: string;
}

/** The lines of a text that are not empty. */
export function numberedLines(text: string, file: string): NumberedLine[] {
  return text
    .split('\n')
    .flatMap((line, at) => (line.trim() === '' ? [] : [{ line, where: `${file}: line ${at + 1}` }]));
}

/** The value of one line. Throws `InvalidInput` that names the line; `hint` says what it should hold. */
export function jsonAt({ line, where }: NumberedLine, hint: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new PointsmanError('InvalidInput', `${where}: not JSON: ${(error as Error).message}`, hint);
  }
}

/** Values of one kind, one a line. Throws `InvalidInput` that names the line and, where it is JSON, the field. */
export function jsonLines<T>(schema: z.ZodType<T>, text: string, file: string, hint = ONE_A_LINE): T[] {
  return numberedLines(text, file).map((each) => parseInput<T>(schema, jsonAt(each, hint), each.where));
}
