export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
  /** Line numbers from 1 in the text before and after; null where the line is not in it. */
  readonly before: number | null;
  readonly after: number | null;
}

export interface DiffHunk {
  /** What git prints behind `@@`, or nothing. */
  readonly label: string;
  readonly lines: readonly DiffLine[];
}

export interface DiffFile {
  readonly path: string;
  /** Where it was before, if elsewhere. */
  readonly from: string | null;
  readonly status: 'created' | 'deleted' | 'changed' | 'renamed';
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly DiffHunk[];
  /** Why there are no lines: binary, too large, not at hand. */
  readonly note: string | null;
}

const CONTEXT = 3;
/** Edit steps that are searched through before the rest is called replaced as a whole. */
const PATIENCE = 1_500;

/** Both texts line by line, the shortest way from one to the other (Myers 1986), as far as patience goes. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const kept = middle(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const pairs = [
    ...range(start).map((at): Pair => [at, at]),
    ...kept.map(([i, j]): Pair => [i + start, j + start]),
    ...range(end).map((at): Pair => [a.length - end + at, b.length - end + at]),
    [a.length, b.length] as Pair,
  ];
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  for (const [untilA, untilB] of pairs) {
    for (; i < untilA; i++) lines.push({ kind: 'removed', text: a[i]!, before: i + 1, after: null });
    for (; j < untilB; j++) lines.push({ kind: 'added', text: b[j]!, before: null, after: j + 1 });
    if (i < a.length) lines.push({ kind: 'same', text: a[i]!, before: ++i, after: ++j });
  }
  return lines;
}

/** What changed, with three lines around it. */
export function hunksOf(lines: readonly DiffLine[]): DiffHunk[] {
  const near = new Uint8Array(lines.length);
  lines.forEach(({ kind }, at) => {
    if (kind !== 'same') near.fill(1, Math.max(0, at - CONTEXT), at + CONTEXT + 1);
  });
  const hunks: DiffLine[][] = [];
  lines.forEach((line, at) => {
    if (!near[at]) return;
    if (at === 0 || !near[at - 1]) hunks.push([]);
    hunks.at(-1)!.push(line);
  });
  return hunks.map((hunk) => ({ label: '', lines: hunk }));
}

/** One file of which both states are known; null is a file that is not there. */
export function diffFile(path: string, before: string | null, after: string | null): DiffFile {
  const lines = diffLines(before ?? '', after ?? '');
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length;
  return {
    path,
    from: null,
    status: before === null ? 'created' : after === null ? 'deleted' : 'changed',
    added: count('added'),
    removed: count('removed'),
    hunks: hunksOf(lines),
    note: null,
  };
}

type Pair = [number, number];

function linesOf(text: string): string[] {
  if (text === '') return [];
  return text.replace(/\n$/, '').split('\n');
}

function range(length: number): number[] {
  return Array.from({ length }, (_, at) => at);
}

/** Indices of lines that stay, by the furthest path on each diagonal; all of it is replaced where that takes too long. */
function middle(a: readonly string[], b: readonly string[]): Pair[] {
  if (a.length === 0 || b.length === 0) return [];
  const most = Math.min(a.length + b.length, PATIENCE);
  const rounds: Int32Array[] = [];
  const furthest = new Int32Array(2 * most + 3);
  const at = (diagonal: number) => diagonal + most + 1;
  for (let d = 0; d <= most; d++) {
    // Only 2d + 3 entries matter to round d: that much is kept of each.
    rounds.push(furthest.slice(at(-d - 1), at(d + 1) + 1));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && furthest[at(k - 1)]! < furthest[at(k + 1)]!);
      let x = down ? furthest[at(k + 1)]! : furthest[at(k - 1)]! + 1;
      let y = x - k;
      while (x < a.length && y < b.length && a[x] === b[y]) [x, y] = [x + 1, y + 1];
      furthest[at(k)] = x;
      if (x >= a.length && y >= b.length) return walkBack(rounds, d, a.length, b.length);
    }
  }
  return [];
}

function walkBack(rounds: readonly Int32Array[], steps: number, x: number, y: number): Pair[] {
  const pairs: Pair[] = [];
  for (let d = steps; d >= 0; d--) {
    const round = rounds[d]!;
    const at = (diagonal: number) => round[diagonal + d + 1]!;
    const k = x - y;
    const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const from = down ? k + 1 : k - 1;
    const [startX, startY] = d === 0 ? [0, 0] : [at(from), at(from) - from];
    while (x > startX && y > startY) pairs.push([--x, --y]);
    [x, y] = [startX, startY];
  }
  return pairs.reverse();
}
