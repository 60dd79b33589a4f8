import { wrapHard } from './columns';
import { fold } from './fold';
import { ink } from './ink';
import { safeLines } from './safe-text';
import type { Look } from './shown-run';

const PATCH = { head: 60, tail: 20 };

/** A git patch, coloured by what each line does. */
export function patchLines(patch: string, look: Look): string[] {
  const paint = ink(look.coloured);
  const lines = safeLines(patch.replace(/\n$/, ''));
  const { head, tail, hidden } = look.full ? { head: lines, tail: [], hidden: 0 } : fold(lines, PATCH);
  const show = (line: string) => {
    const style = /^(\+\+\+|---|diff |index |@@)/.test(line)
      ? paint.dim
      : line.startsWith('+')
        ? paint.good
        : line.startsWith('-')
          ? paint.bad
          : (text: string) => text;
    return wrapHard([line], look.width).map(style);
  };
  return [
    ...head.flatMap(show),
    ...(hidden > 0 ? [paint.dim(`… ${hidden} more lines (--full shows them) …`)] : []),
    ...tail.flatMap(show),
  ];
}

/** `3 files, +12 −4`. */
export function patchSize(patch: string): string {
  const lines = patch.split('\n');
  const files = lines.filter((line) => line.startsWith('diff --git ')).length;
  const added = lines.filter((line) => line.startsWith('+') && !line.startsWith('+++')).length;
  const removed = lines.filter((line) => line.startsWith('-') && !line.startsWith('---')).length;
  return `${files} file${files === 1 ? '' : 's'}, +${added} −${removed}`;
}
