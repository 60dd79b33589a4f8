import { type Hunk, splitPatch } from '../../problems/patch';
import { hunksBetween } from '../../problems/unified-diff';

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
  /** Line numbers from 1 in the text before and after; null where the line is not in it. */
  readonly before: number | null;
  readonly after: number | null;
}

interface DiffHunk {
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

/** Both texts line by line; none where they are equal. A line end that is missing at the end is no difference. */
export function diffLines(before: string, after: string): DiffLine[] {
  return hunksBetween(ended(before), ended(after), Number.POSITIVE_INFINITY).flatMap(numbered);
}

/** One file of which both states are known; null is a file that is not there. */
export function diffFile(path: string, before: string | null, after: string | null): DiffFile {
  const hunks = hunksBetween(ended(before ?? ''), ended(after ?? '')).map((hunk) => ({
    label: '',
    lines: numbered(hunk),
  }));
  return {
    path,
    from: null,
    status: before === null ? 'created' : after === null ? 'deleted' : 'changed',
    added: countOf('added', hunks),
    removed: countOf('removed', hunks),
    hunks,
    note: null,
  };
}

/** A git patch as files and hunks with line numbers. What cannot be read as a patch gives no files. */
export function patchFiles(patch: string): DiffFile[] {
  return splitPatch(patch).map(({ text, from, to, ...section }) => {
    const hunks = section.hunks.map((hunk) => ({ label: hunk.label, lines: numbered(hunk) }));
    return {
      path: to ?? from ?? '',
      from: from !== null && to !== null && from !== to ? from : null,
      status: from === null ? 'created' : to === null ? 'deleted' : from === to ? 'changed' : 'renamed',
      added: countOf('added', hunks),
      removed: countOf('removed', hunks),
      hunks,
      note: hunks.length > 0 ? null : /^(GIT binary patch|Binary files )/m.test(text) ? 'binary' : 'no change of lines',
    };
  });
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function countOf(kind: DiffLine['kind'], hunks: readonly DiffHunk[]): number {
  return hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.kind === kind).length, 0);
}

function numbered({ oldStart, newStart, lines }: Pick<Hunk, 'oldStart' | 'newStart' | 'lines'>): DiffLine[] {
  let [before, after] = [oldStart, newStart];
  return lines.flatMap((line): DiffLine[] => {
    const text = line.slice(1);
    if (line.startsWith('\\')) return [];
    if (line.startsWith('-')) return [{ kind: 'removed', text, before: before++, after: null }];
    if (line.startsWith('+')) return [{ kind: 'added', text, before: null, after: after++ }];
    return [{ kind: 'same', text, before: before++, after: after++ }];
  });
}
