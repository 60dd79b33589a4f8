import type { Action } from '../contract';
import { wrapHard } from './columns';
import { fold } from './fold';
import { ink } from './ink';
import { safeLine, safeLines } from './safe-text';
import type { Look } from './shown-run';

const BODY = { head: 12, tail: 4 };

/** What a turn did: a shell command as one would type it, an edit as the lines that go and come. */
export function actionLines({ tool, args }: Action, look: Look): string[] {
  const paint = ink(look.coloured);
  if (tool === 'bash') {
    const [first = '', ...rest] = folded(text(args.command), look, 2);
    return [paint.strong(`$ ${first}`), ...rest.map((line) => paint.strong(`  ${line}`))];
  }
  if (tool === 'submit') return [paint.strong('⇒ submit')];
  if (tool === 'str_replace_editor') {
    const where = wrapHard([`✎ ${safeLine(`${text(args.command)} ${text(args.path)}${range(args)}`)}`], look.width);
    return [...where.map(paint.strong), ...body(args, look)];
  }
  return [...wrapHard([`▸ ${safeLine(`${tool} ${JSON.stringify(args)}`)}`], look.width)].map(paint.strong);
}

function body(args: Action['args'], look: Look): string[] {
  const paint = ink(look.coloured);
  const side = (sign: string, value: unknown) =>
    value === undefined ? [] : folded(text(value), look, 4).map((line) => `  ${sign} ${line}`);
  return [...side('-', args.old_str).map(paint.bad), ...side('+', args.new_str ?? args.file_text).map(paint.good)];
}

/** Lines of `value` that fit beside a margin, the middle folded away. */
function folded(value: string, look: Look, margin: number): string[] {
  const lines = wrapHard(safeLines(value.replace(/\n$/, '')), look.width - margin);
  const { head, tail, hidden } = look.full ? { head: lines, tail: [], hidden: 0 } : fold(lines, BODY);
  return [...head, ...(hidden > 0 ? [`… ${hidden} more lines …`] : []), ...tail];
}

function range({ view_range, insert_line }: Action['args']): string {
  if (Array.isArray(view_range)) return ` lines ${view_range.join('–').replace('–-1', ' to the end')}`;
  return insert_line === undefined ? '' : ` after line ${String(insert_line)}`;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
