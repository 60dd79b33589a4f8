import type { Slice } from '../../../contract';
import type { Look } from '../../../pages/shown-run';
import { ink } from '../ink';
import { safeLine, safeLines } from '../safe-text';

/** A slice as a person reads it: its definitions under their files, in the order in which they can be defined. */
export function sliceText(slice: Slice, linesOf: (file: string) => readonly string[], { coloured }: Look): string {
  const paint = ink(coloured);
  const { target, items, imports, importTimeEffects, unresolved } = slice;
  const outOfFile = items.filter((each) => each.outOfFile).length;
  const effects = importTimeEffects.length;
  const lines = [
    paint.strong(safeLine(`${target.module}.${target.name}`)),
    `${counted(items.length, 'definition')}, ${outOfFile} out of its file${effects > 0 ? `, ${counted(effects, 'import-time effect')}` : ''}`,
  ];
  const code = (file: string, [first, last]: readonly [number, number]) =>
    safeLines(
      linesOf(file)
        .slice(first - 1, last)
        .join('\n'),
    );
  const place = (file: string, [first, last]: readonly [number, number]) =>
    safeLine(`${file}:${first === last ? first : `${first}-${last}`}`);
  if (imports.length > 0) lines.push('', paint.dim('# imports'), ...imports.flatMap(safeLines));
  for (const { kind, name, file, lines: range } of items)
    lines.push('', paint.dim(`# ${place(file, range)} ${kind} ${safeLine(name)}`), ...code(file, range));
  for (const { file, lines: range, mutates } of importTimeEffects) {
    const changed = mutates.length > 0 ? ` changes ${safeLine(mutates.join(', '))}` : ' writes names of its module';
    lines.push('', paint.dim(`# ${place(file, range)}${changed}`), ...code(file, range));
  }
  if (unresolved.length > 0) lines.push('', paint.notice('Not followed:'));
  for (const { file, line, text, why } of unresolved)
    lines.push(`  ${place(file, [line, line])} ${safeLine(text.split('\n', 1)[0]!)}: ${safeLine(why)}`);
  return lines.join('\n');
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
