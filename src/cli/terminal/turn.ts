import type { Action, Author, Rejected } from '../../contract';
import { count, dollars, duration } from '../../pages/figures';
import type { Look, ShownStep } from '../../pages/shown-run';
import { replyText } from '../../rollout/summary';
import { columnsOf, shortened, wrapHard, wrapWords } from './columns';
import { fold } from './fold';
import { type Ink, ink } from './ink';
import { safeLine, safeLines } from './safe-text';

const OBSERVATION = { head: 8, tail: 6 };
const MARGIN = '  ';

/** One turn: who, what was thought, what was done, what came back. `before` is the author of the turn before it. */
export function turnLines(step: ShownStep, before: Author | undefined, look: Look): string[] {
  const paint = ink(look.coloured);
  const inner = { ...look, width: look.width - MARGIN.length };
  const { turn } = step;
  return [
    ...handOverLines(before, turn.author, turn.turn, look),
    headLine(step, look),
    ...refusedLines(turn.rejected, inner),
    ...(turn.lenient ? [MARGIN + paint.dim(`read leniently: ${turn.lenient.join(', ').replaceAll('_', ' ')}`)] : []),
    ...wrapWords(safeLines(turn.thought.trim()), inner.width)
      .filter((line, at, all) => line !== '' || (at > 0 && at < all.length - 1))
      .map((line) => (line === '' ? '' : MARGIN + line)),
    ...actionLines(turn.action, inner).map((line) => MARGIN + line),
    ...observationLines(step, inner).map((line) => MARGIN + line),
    '',
  ];
}

/** Replies that could not be read, a line each. */
export function refusedLines(refused: readonly Rejected[], look: Look): string[] {
  return refused.flatMap(({ error, reply, author }) => {
    const who = author === undefined ? '' : ` of the ${author}`;
    const said = shortened(safeLine(replyText(reply).trim()), 100) || '(empty)';
    return wrapHard([`✗ reply${who} refused (${error.code}): ${said}`], look.width).map(
      (line) => MARGIN + ink(look.coloured).dim(line),
    );
  });
}

/** The rule between two authors; nothing at the first turn or where the author stays. */
function handOverLines(before: Author | undefined, author: Author, turn: number, look: Look): string[] {
  if (before === undefined || before === author) return [];
  const words = ` hand-over after turn ${turn - 1}: ${author} takes over `;
  const side = '─'.repeat(Math.max(4, Math.floor((look.width - words.length) / 2)));
  const paint = ink(look.coloured);
  return [paint.strong(paint.notice(`${side}${words}${side}`)), ''];
}

function headLine(step: ShownStep, look: Look): string {
  const paint = ink(look.coloured);
  const { turn } = step;
  const by = turn.agent ?? (turn.person === undefined ? turn.profile : `${turn.profile} (${turn.person})`);
  const who = shortened(`turn ${turn.turn} · ${turn.author} · ${safeLine(by)}`, Math.floor(look.width / 2));
  const tokens = turn.usage.promptTokens + turn.usage.completionTokens;
  const facts = [
    step.timedOutAfter !== null
      ? `killed after ${step.timedOutAfter} s`
      : step.exitCode === null
        ? ''
        : `exit ${step.exitCode}`,
    step.durationMs === undefined ? '' : duration(step.durationMs),
    step.redone ? `redone ×${step.redone}` : '',
    tokens > 0 ? `${count(tokens, 'token')}` : '',
    turn.usage.costUsd > 0 ? dollars(turn.usage.costUsd) : '',
  ].filter((fact) => fact !== '');
  const right = facts.join(' · ');
  const line = '─'.repeat(Math.max(2, look.width - columnsOf(who) - columnsOf(right) - (right ? 5 : 4)));
  const failed = step.timedOutAfter !== null || (step.exitCode ?? 0) !== 0;
  return [
    paint.dim('──'),
    paint.strong(byAuthor(paint, turn.author)(who)),
    paint.dim(line),
    ...(right ? [failed ? paint.bad(right) : paint.dim(right)] : []),
  ].join(' ');
}

function observationLines(step: ShownStep, look: Look): string[] {
  const paint = ink(look.coloured);
  if (step.observation === '') return [paint.dim('│ (no output)')];
  // A terminal line is at most a few screens of it: a minified file must not hide the turn after it.
  const lines = wrapHard(safeLines(step.observation.replace(/\n$/, '')), look.width - 2);
  const { head, tail, hidden } = look.full ? { head: lines, tail: [], hidden: 0 } : fold(lines, OBSERVATION);
  const gap = [
    ...(hidden > 0 ? [paint.dim(`┆ … ${count(hidden, 'more line')} (--full shows them) …`)] : []),
    ...(step.elidedBytes > 0 ? [paint.dim(`┆ ${count(step.elidedBytes, 'byte')} were over the output cap`)] : []),
  ];
  const bar = (line: string) => `${paint.dim('│')} ${line}`.trimEnd();
  return [...head.map(bar), ...gap, ...tail.map(bar)];
}

function byAuthor(paint: Ink, author: Author): (text: string) => string {
  return author === 'student' ? paint.student : paint.expert;
}

const BODY = { head: 12, tail: 4 };

/** What a turn did: a shell command as one would type it, an edit as the lines that go and come. */
function actionLines({ tool, args }: Action, look: Look): string[] {
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
