import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** What results say they were made by. */
export function codeVersion(): string {
  const { name, version } = JSON.parse(readFileSync(resolve(__dirname, '../../package.json'), 'utf8')) as {
    name: string;
    version: string;
  };
  return `${name} ${version}`;
}
