import { createHash } from 'node:crypto';
import type { ModuleSyntax, Python, Span } from '@pointsman/python';
import type { FunctionTarget } from '../../contract';
import { functionAt } from '../candidate/function-at';
import type { Edit } from './expressions';
import { editsInFunction } from './statements';

/** A file with one mistake in one function. */
export interface Mutant {
  /** The same for the same file and mistake, however many are chosen. */
  readonly id: string;
  readonly operator: string;
  /** Line of the file, from 1. */
  readonly line: number;
  /** The lines of the mistake without and with it. */
  readonly before: string;
  readonly after: string;
  /** The whole file. */
  readonly source: string;
}

export interface MutationChoice {
  readonly max: number;
  readonly seed: number;
}

/**
 * Mistakes in a function, at most `max` of them: in turn one of each line until there are enough, so that no line has
 * many while another has none. Which of a line's come first is drawn from `seed`. In the order in which they stand in the
 * file. Empty for a target that the file does not define. R2E names a mutation score as future work (§7); the operators
 * are the usual ones of the field, without those whose mutants are errors at once or behave alike.
 */
export function mutantsOf(
  python: Python,
  module: ModuleSyntax,
  target: Pick<FunctionTarget, 'name' | 'lines'>,
  { max, seed }: MutationChoice,
): Mutant[] {
  const placed = functionAt(module, target);
  if (!placed) return [];
  const edits = editsInFunction(module.text, placed.statement);
  const isPython = checkerOf(python, module, placed.statement);
  const queues = byLine(module, distinct(module.text, edits), seed);
  const chosen: { edit: Edit; mutant: Mutant }[] = [];
  while (chosen.length < max && queues.some((queue) => queue.length > 0)) {
    for (const queue of queues) {
      if (chosen.length === max) break;
      for (let edit = queue.shift(); edit; edit = queue.shift()) {
        if (!isPython(edit)) continue;
        chosen.push({ edit, mutant: mutantOf(module, edit) });
        break;
      }
    }
  }
  return chosen
    .sort((a, b) => a.edit.start - b.edit.start || compare(a.mutant.id, b.mutant.id))
    .map(({ mutant }) => mutant);
}

/** Two edits that give the same text are one. */
function distinct(text: string, edits: Iterable<Edit>): Edit[] {
  const seen = new Map<string, Edit>();
  for (const edit of edits) {
    if (text.slice(edit.start, edit.end) === edit.text) continue;
    const key = `${edit.start}:${edit.end}:${edit.text}`;
    if (!seen.has(key)) seen.set(key, edit);
  }
  return [...seen.values()];
}

/** Edits of each line, in an order that depends on the seed alone; the lines too. */
function byLine(module: ModuleSyntax, edits: readonly Edit[], seed: number): Edit[][] {
  const lines = new Map<number, Edit[]>();
  for (const edit of edits) {
    const line = lineAt(module.lineStarts, edit.start);
    lines.set(line, [...(lines.get(line) ?? []), edit]);
  }
  const drawn = (key: string) => createHash('sha256').update(`${seed}\n${key}`).digest('hex');
  const shuffled = <T>(all: readonly T[], keyOf: (each: T) => string): T[] =>
    all
      .map((each) => ({ each, key: drawn(keyOf(each)) }))
      .sort((a, b) => compare(a.key, b.key))
      .map(({ each }) => each);
  return shuffled([...lines], ([line]) => `${line}`).map(([, queue]) =>
    shuffled(queue, ({ start, end, text }) => `${start}:${end}:${text}`),
  );
}

/** Whether the function is still Python with an edit. Only the function is read again, as a block of its own. */
function checkerOf(python: Python, { text, path }: ModuleSyntax, { start, end }: Span): (edit: Edit) => boolean {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const read = (body: string) => python.parse(path, start > from ? `if True:\n${body}\n` : `${body}\n`).errors.length;
  const before = read(text.slice(from, end));
  return (edit) => read(`${text.slice(from, edit.start)}${edit.text}${text.slice(edit.end, end)}`) <= before;
}

function mutantOf({ text, lineStarts }: ModuleSyntax, edit: Edit): Mutant {
  const source = `${text.slice(0, edit.start)}${edit.text}${text.slice(edit.end)}`;
  const line = lineAt(lineStarts, edit.start);
  const from = lineStarts[line - 1]!;
  const until = text.indexOf('\n', edit.end);
  const to = until < 0 ? text.length : until;
  return {
    id: createHash('sha256').update(`${edit.start}:${edit.end}:${edit.text}`).digest('hex').slice(0, 12),
    operator: edit.operator,
    line,
    before: text.slice(from, to).trim(),
    after: source.slice(from, source.length - (text.length - to)).trim(),
    source,
  };
}

function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
