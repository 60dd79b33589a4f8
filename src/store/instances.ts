import { FunctionInstance, jsonLines } from '../contract';

/** Reads the lines of a `problems.jsonl`. Throws `InvalidInput` with the line's number and the field. */
export function instancesIn(text: string, file: string): FunctionInstance[] {
  return jsonLines<FunctionInstance>(FunctionInstance, text, file, ONE_A_LINE);
}

export const ONE_A_LINE = 'A problems.jsonl holds one function problem a line.';
