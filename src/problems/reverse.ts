import { type Hunk, splitPatch } from './patch';

/**
 * The patch that undoes a textual git patch: sides, counts and signs exchanged. Throws for binary parts, which do not
 * carry what was there before.
 */
export function reversePatch(patch: string): string {
  const lines = splitPatch(patch).flatMap(({ text, header, hunks }) => {
    if (/^GIT binary patch/m.test(text)) throw new Error('a binary patch cannot be reversed from its text');
    return [...reversedHeader(header), ...hunks.flatMap(reversedHunk)];
  });
  return lines.map((line) => `${line}\n`).join('');
}

function reversedHunk({ oldStart, oldLines, newStart, newLines, label, lines }: Hunk): string[] {
  const side = (start: number, count: number) => `${count === 0 ? start - 1 : start},${count}`;
  const out = [`@@ -${side(newStart, newLines)} +${side(oldStart, oldLines)} @@${label && ` ${label}`}`];
  // In a hunk removals come before additions; exchanging signs turns the order round, so runs are held and swapped.
  let removed: string[] = [];
  let added: string[] = [];
  let last = out;
  const flush = () => {
    out.push(...added, ...removed);
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.startsWith('\\')) {
      last.push(line);
      continue;
    }
    // What follows an addition begins a run of its own.
    if (!line.startsWith('+') && (added.length > 0 || !line.startsWith('-'))) flush();
    last = line.startsWith('-') ? removed : line.startsWith('+') ? added : out;
    last.push(line.startsWith('-') ? `+${line.slice(1)}` : line.startsWith('+') ? `-${line.slice(1)}` : line);
  }
  flush();
  return out;
}

function reversedHeader(header: readonly string[]): string[] {
  const plus = header.find((line) => line.startsWith('+++ '));
  const minus = header.find((line) => line.startsWith('--- '));
  return header.map((line) => {
    if (line === minus && plus !== undefined) return `--- ${sideOf(plus.slice(4), 'a')}`;
    if (line === plus && minus !== undefined) return `+++ ${sideOf(minus.slice(4), 'b')}`;
    return headerOf(line);
  });
}

function sideOf(name: string, side: 'a' | 'b'): string {
  return name.startsWith('/dev/null') ? name : name.replace(/^("?)[ab]\//, `$1${side}/`);
}

function headerOf(line: string): string {
  const swap: [RegExp, string][] = [
    [/^new file mode /, 'deleted file mode '],
    [/^deleted file mode /, 'new file mode '],
    [/^old mode /, 'new mode '],
    [/^new mode /, 'old mode '],
    [/^rename from /, 'rename to '],
    [/^rename to /, 'rename from '],
  ];
  const index = /^index ([0-9a-f]+)\.\.([0-9a-f]+)(.*)$/.exec(line);
  if (index) return `index ${index[2]}..${index[1]}${index[3]}`;
  const git = /^diff --git a\/(.*) b\/(.*)$/.exec(line);
  if (git) return `diff --git a/${git[2]} b/${git[1]}`;
  const found = swap.find(([pattern]) => pattern.test(line));
  return found ? line.replace(found[0], found[1]) : line;
}
