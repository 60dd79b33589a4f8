/**
 * The patch that undoes a textual git patch: sides, counts and signs exchanged. Throws for binary parts that do not carry
 * what was there before.
 */
export function reversePatch(patch: string): string {
  const out: string[] = [];
  let left = 0;
  let right = 0;
  let removed: string[] = [];
  let added: string[] = [];
  // In a hunk removals come before additions; exchanging signs turns the order round, so runs are held and swapped.
  const flush = () => {
    out.push(...added, ...removed);
    [removed, added] = [[], []];
  };
  const lines = patch.split('\n');
  let lastSide: string[] = out;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (line.startsWith('\\')) {
      lastSide.push(line);
      continue;
    }
    if (left > 0 || right > 0) {
      if (line.startsWith('-')) {
        if (added.length > 0) flush();
        removed.push(`+${line.slice(1)}`);
        lastSide = removed;
        left--;
      } else if (line.startsWith('+')) {
        added.push(`-${line.slice(1)}`);
        lastSide = added;
        right--;
      } else {
        flush();
        out.push(line);
        lastSide = out;
        left--;
        right--;
      }
      continue;
    }
    flush();
    lastSide = out;
    const hunk = /^@@ -(\S+) \+(\S+) @@(.*)$/.exec(line);
    if (hunk) {
      [left, right] = [countOf(hunk[1]!), countOf(hunk[2]!)];
      out.push(`@@ -${hunk[2]} +${hunk[1]} @@${hunk[3]}`);
    } else if (line.startsWith('GIT binary patch')) {
      throw new Error('a binary patch cannot be reversed from its text');
    } else if (line.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ')) {
      out.push(`--- ${sideOf(lines[at + 1]!.slice(4), 'a')}`, `+++ ${sideOf(line.slice(4), 'b')}`);
      at++;
    } else out.push(headerOf(line));
  }
  flush();
  return out.join('\n');
}

function countOf(range: string): number {
  return Number(range.split(',')[1] ?? 1);
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
