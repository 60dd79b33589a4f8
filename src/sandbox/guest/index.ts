import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of a program of this folder, which runs inside of sandboxes whatever they are made of. */
export function guestProgram(name: string): string {
  return readFileSync(join(__dirname, name), 'utf8');
}
