import type { Action, RawReply } from '../contract/step';
import { preview } from './clip';
import { quote } from './shell';

export { preview } from './clip';

/** Temporal shows this many characters of an activity's summary well. */
const SUMMARY_CHARS = 120;

/** One line that tells a person what an action does, such as `bash sed -n 1,40p a.py` or `edit view /repo/a.py 1-40`. */
export function actionLine({ tool, args }: Action): string {
  const line =
    tool === 'str_replace_editor' ? `edit ${text(args.command)} ${text(args.path)}${range(args)}` : plain(tool, args);
  return preview(oneLine(line), SUMMARY_CHARS);
}

/** All that a model wrote in a reply, as a person reads it: reasoning that the server kept apart, text, calls. */
export function replyText({ content, toolCalls, reasoning }: RawReply): string {
  const calls = toolCalls.map((call) => `${call.name} ${call.arguments}`);
  return [reasoning ? `(reasoning)\n${reasoning}` : '', content ?? '', ...calls]
    .filter((part) => part !== '')
    .join('\n');
}

function range({ view_range, insert_line }: Action['args']): string {
  if (Array.isArray(view_range)) return ` ${view_range.map(text).join('-').replace('--1', '-end')}`;
  return insert_line === undefined ? '' : ` after line ${text(insert_line)}`;
}

function plain(tool: string, args: Action['args']): string {
  const values = Object.entries(args).map(([name, value]) =>
    name === 'command' ? text(value) : `${name}=${text(value)}`,
  );
  return [tool, ...values].join(' ');
}

function text(value: unknown): string {
  const all = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return preview(all, 2_000);
}

/** Control characters would break a line or colour a terminal; lone surrogates cannot be stored. */
function oneLine(value: string): string {
  return value
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .trim();
}

export interface StartedRollout {
  readonly id: string;
  readonly instance: string;
  /** What the agent is told, where whoever starts it knows. */
  readonly statement?: string;
  readonly student?: string | undefined;
  readonly expert?: string | undefined;
  readonly handOver?: unknown;
}

/** What the Temporal UI says of a rollout beside what it does: Markdown. */
export function rolloutDetails({ id, instance, statement = '', student, expert, handOver }: StartedRollout): string {
  const words = statement.trim().split('\n', 1)[0] ?? '';
  const authors = [student && `student \`${student}\``, expert && `expert \`${expert}\``].filter(Boolean).join(', ');
  return [
    `**${instance}**${words === '' ? '' : ` — ${preview(words, 200)}`}`,
    '',
    `${authors}${handOver === undefined ? '' : `; hand-over \`${JSON.stringify(handOver)}\``}`,
    '',
    `\`pointsman rollout show ${quote(id)}\` prints it, \`pointsman view --run ${quote(id)}\` opens it.`,
  ].join('\n');
}
