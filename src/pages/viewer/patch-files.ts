import { splitPatch } from '../../problems/patch';
import type { DiffFile, DiffHunk, DiffLine } from './line-diff';

/** A git patch as files and hunks with line numbers. What cannot be read as a patch gives no files. */
export function patchFiles(patch: string): DiffFile[] {
  return splitPatch(patch).map(({ text, from, to }) => {
    const hunks = hunksIn(text.split('\n'));
    const count = (kind: DiffLine['kind']) =>
      hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.kind === kind).length, 0);
    return {
      path: to ?? from ?? '',
      from: from !== null && to !== null && from !== to ? from : null,
      status: from === null ? 'created' : to === null ? 'deleted' : from === to ? 'changed' : 'renamed',
      added: count('added'),
      removed: count('removed'),
      hunks,
      note: hunks.length > 0 ? null : /^(GIT binary patch|Binary files )/m.test(text) ? 'binary' : 'no change of lines',
    };
  });
}

function hunksIn(lines: readonly string[]): DiffHunk[] {
  const hunks: { label: string; lines: DiffLine[] }[] = [];
  let [before, after, left, right] = [0, 0, 0, 0];
  for (const line of lines) {
    const start = left === 0 && right === 0 ? /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/.exec(line) : null;
    if (start) {
      [before, after] = [Number(start[1]), Number(start[3])];
      [left, right] = [Number(start[2] ?? 1), Number(start[4] ?? 1)];
      hunks.push({ label: start[5]!, lines: [] });
      continue;
    }
    if (left === 0 && right === 0) continue;
    const text = line.slice(1);
    const hunk = hunks.at(-1)!.lines;
    if (line.startsWith('-') && left > 0) {
      hunk.push({ kind: 'removed', text, before: before++, after: null });
      left--;
    } else if (line.startsWith('+') && right > 0) {
      hunk.push({ kind: 'added', text, before: null, after: after++ });
      right--;
    } else if (!line.startsWith('\\')) {
      hunk.push({ kind: 'same', text, before: before++, after: after++ });
      [left, right] = [Math.max(0, left - 1), Math.max(0, right - 1)];
    }
  }
  return hunks;
}
