import { RecordProblem } from './exporter';
import type { Fields } from './fields';

/** A list of ids, or of numbers. Throws `RecordProblem`. */
export function numbersIn(fields: Fields, name: string, kind: 'integer' | 'number' = 'integer'): number[] {
  const value = fields[name];
  const is = kind === 'integer' ? Number.isInteger : Number.isFinite;
  if (Array.isArray(value) && value.every(is)) return value as number[];
  throw new RecordProblem(`expected "${name}" to be a list of ${kind}s`);
}

/** A list of such lists. Throws `RecordProblem`. */
export function numbersLists(fields: Fields, name: string, kind: 'integer' | 'number' = 'integer'): number[][] {
  const value = fields[name];
  if (!Array.isArray(value)) throw new RecordProblem(`expected "${name}" to be a list of lists`);
  return value.map((each: unknown, i) => numbersIn({ [`${name}[${i}]`]: each }, `${name}[${i}]`, kind));
}
