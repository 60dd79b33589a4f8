/** Lines around a change. */
const CONTEXT = 3;
/** Pairs of lines that are compared at most; beyond it the whole differing middle is one change. */
const PAIRS = 4_000_000;

interface Edit {
  readonly sign: ' ' | '-' | '+';
  readonly line: string;
}

/**
 * What turns `before` into `after` as a git patch of one file: null for a file that is not there. Empty where nothing
 * differs. Paths are relative to the repository; a path that git would quote is not expected.
 */
export function unifiedDiff(path: string, before: string | null, after: string | null): string {
  if (before === after) return '';
  const edits = editsBetween(linesOf(before ?? ''), linesOf(after ?? ''));
  const head = [`diff --git a/${path} b/${path}`];
  if (before === null) head.push('new file mode 100644');
  if (after === null) head.push('deleted file mode 100644');
  if (edits.length > 0) {
    head.push(before === null ? '--- /dev/null' : `--- a/${path}`, after === null ? '+++ /dev/null' : `+++ b/${path}`);
  }
  return `${[...head, ...hunksOf(edits)].join('\n')}\n`;
}

/** Lines with their line ends, so that a missing last one is a difference. */
function linesOf(text: string): string[] {
  return text === '' ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) ?? []);
}

function editsBetween(before: readonly string[], after: readonly string[]): Edit[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let [left, right] = [before.length, after.length];
  while (left > start && right > start && before[left - 1] === after[right - 1]) [left, right] = [left - 1, right - 1];
  const same = (line: string): Edit => ({ sign: ' ', line });
  return [
    ...before.slice(0, start).map(same),
    ...middleEdits(before.slice(start, left), after.slice(start, right)),
    ...before.slice(left).map(same),
  ];
}

/** By the longest common subsequence, removals before additions. */
function middleEdits(before: readonly string[], after: readonly string[]): Edit[] {
  const removed = (line: string): Edit => ({ sign: '-', line });
  const added = (line: string): Edit => ({ sign: '+', line });
  if (before.length * after.length > PAIRS) return [...before.map(removed), ...after.map(added)];
  const width = after.length + 1;
  const longest = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const at = i * width + j;
      longest[at] =
        before[i] === after[j] ? longest[at + width + 1]! + 1 : Math.max(longest[at + width]!, longest[at + 1]!);
    }
  }
  const edits: Edit[] = [];
  let [i, j] = [0, 0];
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      edits.push({ sign: ' ', line: before[i++]! });
      j++;
    } else if (longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!) edits.push(removed(before[i++]!));
    else edits.push(added(after[j++]!));
  }
  return [...edits, ...before.slice(i).map(removed), ...after.slice(j).map(added)];
}

function hunksOf(edits: readonly Edit[]): string[] {
  const changes = edits.flatMap(({ sign }, at) => (sign === ' ' ? [] : [at]));
  const out: string[] = [];
  let [old, now, done] = [1, 1, 0];
  for (let first = 0; first < changes.length; ) {
    let last = first;
    while (last + 1 < changes.length && changes[last + 1]! - changes[last]! <= 2 * CONTEXT) last++;
    const from = Math.max(0, changes[first]! - CONTEXT);
    const to = Math.min(edits.length, changes[last]! + CONTEXT + 1);
    // Between hunks both sides advance alike.
    [old, now] = [old + from - done, now + from - done];
    const hunk = edits.slice(from, to);
    const [gone, come] = [
      hunk.filter(({ sign }) => sign !== '+').length,
      hunk.filter(({ sign }) => sign !== '-').length,
    ];
    out.push(`@@ -${range(old, gone)} +${range(now, come)} @@`, ...hunk.flatMap(written));
    [old, now, done, first] = [old + gone, now + come, to, last + 1];
  }
  return out;
}

/** An empty side is named by the line before it. */
function range(start: number, count: number): string {
  return count === 0 ? `${start - 1},0` : `${start},${count}`;
}

function written({ sign, line }: Edit): string[] {
  return line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, '\\ No newline at end of file'];
}
