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
  const found = structuredPatch('', '', before, after, '', '', { context, maxEditLength: PATIENCE });
  return found?.hunks ?? replaced(before, after);
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
