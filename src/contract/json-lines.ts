import type { z } from 'zod';
import { PointsmanError } from './errors';
import { parseInput } from './parse';

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
