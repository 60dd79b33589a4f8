import { createHash } from 'node:crypto';
import { PointsmanError } from '../contract/errors';

/** Characters of a file name: file systems take 255 bytes, and something is written behind the name. */
const LONGEST = 200;

/**
 * A name that somebody gave (a workflow id, a rollout, a data set) as that of one file or folder: whatever it holds, it
 * stays in the folder that it is put in, and two names are never one. `nameOfEntry` reads it again.
 */
export function entryName(name: string): string {
  if (name === '') throw new PointsmanError('InvalidInput', 'a name is empty', 'Give one.');
  // A point in front would be a hidden file, this folder or the one above.
  const encoded = percent(name).replace(/^\./, '%2E');
  if (encoded.length <= LONGEST && encoded !== '') return encoded;
  const digest = createHash('sha256').update(name, 'utf16le').digest('hex');
  return `${encoded.slice(0, LONGEST - digest.length - 1)}~${digest}`;
}

/** Empty for half of a surrogate pair, which has no such form. */
function percent(name: string): string {
  try {
    return encodeURIComponent(name);
  } catch {
    return '';
  }
}

/** The name that `entryName` was given; of one that was too long, what is left of it. */
export function nameOfEntry(entry: string): string {
  const whole = entry.replace(/%[0-9A-F]?(?=~|$)/, '');
  try {
    return decodeURIComponent(whole);
  } catch {
    // The cut went through a character of several bytes.
    return whole;
  }
}
