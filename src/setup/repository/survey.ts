/** What anybody can know of a repository without running it: paths, and the texts of the files that say how it is built. */
export interface Survey {
  /** Relative to the work directory, sorted; of a large repository the first 20,000. */
  readonly paths: readonly string[];
  /** Texts of marker files (see `isMarker`) by path, each at most 200,000 characters. */
  readonly texts: Readonly<Record<string, string>>;
  /** What `cksum` says of the files of code as they came, by path: who changes one later is found out. Older surveys have none. */
  readonly digests?: Readonly<Record<string, string>>;
}

export const MOST_PATHS = 20_000;
export const MOST_CHARS = 200_000;

/**
 * The text of a file that people wrote, whichever encoding their editor chose: UTF-8, or UTF-16 in either order, with or
 * without its mark, as redirections of PowerShell write it. Anything else is read as UTF-8, with marks for what is none.
 * The mark itself is kept: sums of code are those of its bytes.
 */
export function textOf(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes), { ignoreBOM: true }).decode(bytes);
}

function encodingOf([first, second, third, fourth]: Uint8Array): string {
  if ((first === 0xff && second === 0xfe) || (first && second === 0 && third && fourth === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second && third === 0 && fourth)) return 'utf-16be';
  return 'utf-8';
}
