import type { Action } from '../../contract';
import { clip } from './clip';
import type { ActionView } from './payload';

/** What an action did, in a shape that a page shows without knowing each tool; texts of at most `limit` units. */
export function actionView({ tool, args }: Action, limit: number): ActionView {
  if (tool === 'bash' && typeof args.command === 'string') return { kind: 'command', text: clip(args.command, limit) };
  if (tool === 'submit') return { kind: 'submit' };
  if (tool === 'str_replace_editor') {
    const side = (value: unknown) => (value === undefined ? null : clip(text(value), limit));
    return {
      kind: 'edit',
      verb: text(args.command),
      path: text(args.path),
      place: place(args),
      removed: side(args.old_str),
      added: side(args.new_str ?? args.file_text),
    };
  }
  return callView(tool, args, limit);
}

/** A move of a role in a set-up: its name, what it says, and a shell command where it has one. */
export function moveView(move: Readonly<Record<string, unknown>>, limit: number): ActionView {
  const { thought: _, action, move: name, command, ...rest } = move;
  const called = text(action ?? name ?? 'move');
  if (typeof command === 'string' && Object.keys(rest).length === 0) {
    return { kind: 'command', text: clip(command, limit) };
  }
  return callView(called, command === undefined ? rest : { command, ...rest }, limit);
}

/** Arguments line by line, because JSON would fold a script into one line of `\n`. */
function callView(name: string, args: Readonly<Record<string, unknown>>, limit: number): ActionView {
  const lines = Object.entries(args).map(([key, value]) => `${key}: ${text(value, 2)}`);
  return { kind: 'call', name, text: clip(lines.join('\n'), limit) };
}

function place({ view_range, insert_line }: Action['args']): string {
  if (Array.isArray(view_range))
    return `lines ${view_range.map((line) => text(line)).join('–')}`.replace('–-1', ' to the end');
  return insert_line === undefined ? '' : `after line ${text(insert_line)}`;
}

function text(value: unknown, indent?: number): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, indent) ?? '');
}
