/** Edits of a file as bytes. Nothing here decodes what it does not change. */

const LF = 0x0a;
const CR = 0x0d;

/** The lines of a text as the editor shows them: a last newline leaves an empty last line, CRLF reads as a line end. */
export function linesOf(text: string): string[] {
  return text.split(/\r?\n/);
}

/** Whether the file has line ends and each of them is CRLF. */
export function endsLinesWithCrlf(bytes: Buffer): boolean {
  let any = false;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at - 1] !== CR) return false;
    any = true;
  }
  return any;
}

export function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

/** Offsets of `needle` (not empty) in `bytes`, not overlapping. */
export function occurrences(bytes: Buffer, needle: Buffer): number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + needle.length)) found.push(at);
  return found;
}

/** Line ends before `offset`, which is the 0-based number of the line that `offset` is in. */
export function lineAt(bytes: Buffer, offset: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at >= 0 && at < offset; at = bytes.indexOf(LF, at + 1)) count += 1;
  return count;
}

/** `bytes` with `removed` bytes at `at` replaced by `added`. */
export function splice(bytes: Buffer, at: number, removed: number, added: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + removed)]);
}

/** Puts `text` on lines of its own after the first `line` lines; 0 is before the first one. */
export function insertAfterLine(bytes: Buffer, line: number, text: string): Buffer {
  const crlf = endsLinesWithCrlf(bytes);
  const end = crlf ? '\r\n' : '\n';
  const added = crlf ? toCrlf(text) : text;
  let at = 0;
  for (let passed = 0; passed < line; passed += 1) {
    const next = bytes.indexOf(LF, at);
    if (next < 0) return Buffer.concat([bytes, Buffer.from(end + added)]);
    at = next + 1;
  }
  return splice(bytes, at, 0, Buffer.from(added + end));
}
