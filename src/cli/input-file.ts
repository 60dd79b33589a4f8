import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { PointsmanError } from '../contract';

/** What is sent: as written, defaults left to the workflow, so that the printed command stays readable. */
export type Written = Record<string, unknown>;

/** A JSON or YAML file, `-` for standard input. Throws `InvalidInput` with the reason. */
export function readInput(file: string): Written {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new PointsmanError('InvalidInput', `--input ${file}: cannot be read (${reason})`, 'Check the path.');
  }
  let value: unknown;
  try {
    // JSON is YAML, and a person may write either.
    value = parse(text);
  } catch (error) {
    const reason = (error as Error).message.split('\n')[0];
    throw new PointsmanError(
      'InvalidInput',
      `--input ${file}: neither JSON nor YAML: ${reason}`,
      'Correct the syntax.',
    );
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Written;
  throw new PointsmanError(
    'InvalidInput',
    `--input ${file}: expected an object with the fields of the input (found ${value === null ? 'nothing' : typeof value})`,
    'examples/ has one of each kind.',
  );
}

/** The fields that have a value: what flags say stands over what the file says, and a flag that was not given says nothing. */
export function given(fields: Readonly<Record<string, unknown>>): Written {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The worker runs in another folder, so a path is handed to it in full. What is no path here stays as it is. */
export function reachable(named: string): string {
  return existsSync(named) ? resolve(named) : named;
}

/** A user's table of filters, as the file has it: what is in it is checked where it is resolved. */
export function readFilterTable(file: string): unknown {
  try {
    return parse(readFileSync(file, 'utf8')) as unknown;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new PointsmanError(
      code === 'ENOENT' ? 'NotFound' : 'InvalidInput',
      `--filters ${file}: ${code === 'ENOENT' ? 'there is no such file' : `cannot be read as YAML (${code ?? message.split('\n')[0]})`}`,
      'Begin with examples/function-filters.yaml.',
    );
  }
}
