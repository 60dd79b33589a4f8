import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The text of a program of this folder, without its last line break. These run inside of sandboxes, or are parts of the
 * script that a set-up leaves. The one file of this room that reads any: workflows must not import it.
 */
export function guestProgram(name: string): string {
  return readFileSync(join(__dirname, name), 'utf8').trimEnd();
}
