import { formatPatch, type StructuredPatchHunk, structuredPatch } from 'diff';

/** Lines that come or go before the search ends and the whole text is called replaced: about a second. */
const PATIENCE = 4_000;

/**
 * What turns `before` into `after` as a git patch of one file: null for a file that is not there. Empty where nothing
 * differs. Paths are relative to the repository.
 */
export function unifiedDiff(path: string, before: string | null, after: string | null): string {
  if (before === after) return '';
  return formatPatch({
    isGit: true,
    isCreate: before === null,
    isDelete: after === null,
    oldFileName: before === null ? '/dev/null' : `a/${path}`,
    newFileName: after === null ? '/dev/null' : `b/${path}`,
    oldHeader: undefined,
    newHeader: undefined,
    hunks: hunksBetween(before ?? '', after ?? ''),
  });
}

/** What differs, with `context` lines around it. */
export function hunksBetween(before: string, after: string, context = 3): StructuredPatchHunk[] {
  if (before === '' || after === '') return replaced(before, after);
  if (editsAtLeast(before, after) > PATIENCE) return replaced(before, after);
  const found = structuredPatch('', '', before, after, '', '', { context, maxEditLength: PATIENCE });
  return found?.hunks ?? replaced(before, after);
}

/** Lines that have no like in the other text come or go whatever is found, and to count them takes a moment. */
function editsAtLeast(before: string, after: string): number {
  const unmatched = new Map<string, number>();
  for (const line of before.match(LINES) ?? []) unmatched.set(line, (unmatched.get(line) ?? 0) + 1);
  for (const line of after.match(LINES) ?? []) unmatched.set(line, (unmatched.get(line) ?? 0) - 1);
  return [...unmatched.values()].reduce((sum, count) => sum + Math.abs(count), 0);
}

function replaced(before: string, after: string): StructuredPatchHunk[] {
  const [gone, come] = [before.match(LINES) ?? [], after.match(LINES) ?? []];
  if (gone.length + come.length === 0) return [];
  const signed = (sign: string) => (line: string) =>
    line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, '\\ No newline at end of file'];
  const lines = [...gone.flatMap(signed('-')), ...come.flatMap(signed('+'))];
  return [{ oldStart: 1, oldLines: gone.length, newStart: 1, newLines: come.length, lines }];
}

const LINES = /[^\n]*\n|[^\n]+$/g;
