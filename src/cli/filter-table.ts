import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { PointsmanError } from '../contract';

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
