import { readFileSync } from 'node:fs';
import { isPointsmanError, ModelProfile, PointsmanError, type RawReply, type View } from '../../contract';
import { readAnswer } from '../../model/reply';
import { DIALECTS } from '../../rollout/dialects';
import { lenienceNotes } from '../../rollout/lenience';
import { actionLine } from '../../rollout/summary';

/** What would become of a reply: a turn, or the error that the model would be shown. */
export type WhatBecomes =
  | {
      readonly ok: true;
      readonly reasoning: string | null;
      readonly thought: string;
      readonly action: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> };
      readonly lenient: readonly string[];
      /** Rendering it would not read back as the same: a data set drops it where it would be trained. */
      readonly unfaithful: boolean;
    }
  | { readonly ok: false; readonly code: string; readonly told: string };

/**
 * Reads a reply as a rollout would: a text, a message (`{"content": …, "tool_calls": […]}`), or the whole answer of a server,
 * in one piece or as a stream. An answer that is no reply at all (an error inside of a 200, a refusal) gives its error.
 */
export function whatBecomes(text: string, view: Pick<View, 'dialect' | 'actions'>): WhatBecomes {
  let reply: RawReply;
  try {
    reply = replyIn(text);
  } catch (error) {
    if (!isPointsmanError(error)) throw error;
    return { ok: false, code: error.code, told: [error.message, error.hint].filter(Boolean).join('\n') };
  }
  const read = DIALECTS[view.dialect].parse(reply, view);
  if (!read.ok) return { ok: false, code: read.error.code, told: read.error.observation };
  const { thought, action, reasoning = null, lenient = [], unfaithful = false } = read;
  return { ok: true, reasoning, thought, action, lenient, unfaithful };
}

function replyIn(text: string): RawReply {
  const whole = answerIn(text);
  if (whole === undefined) return { content: text.replace(/\n$/, ''), toolCalls: [], finishReason: 'stop' };
  const profile = ModelProfile.parse({ model: 'any' });
  const facts = { profile, context: { profile: 'any' }, requestId: 'read', latencyMs: 0 };
  return readAnswer(whole, facts).reply;
}

/** The answer of a server, or a message as one; undefined for a text. */
function answerIn(text: string): string | undefined {
  if (/^\s*(?:data|event):/.test(text)) return text;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if ('choices' in value || 'error' in value) return text;
  if (!('content' in value || 'tool_calls' in value)) return undefined;
  const { finish_reason = 'stop', ...message } = value as Record<string, unknown>;
  return JSON.stringify({ choices: [{ message, finish_reason }] });
}

/** The text of a file, or of stdin for `-`. Throws `NotFound`. */
export function replyFile(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new PointsmanError('NotFound', `${file}: ${(error as Error).message}`, 'Give a file, or - for stdin.');
  }
}

export function whatBecomesText(read: WhatBecomes): string {
  if (!read.ok) return `${read.code}: it is no action. The model would be told:\n\n${read.told}`;
  const kinds = Object.fromEntries(read.lenient.map((kind) => [kind, 1]));
  return [
    ...(read.reasoning ? [`reasoning  ${read.reasoning}`] : []),
    `thought    ${read.thought || '(none)'}`,
    `action     ${actionLine(read.action)}`,
    ...Object.entries(read.action.args).map(
      ([name, value]) => `  ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ),
    ...lenienceNotes(kinds).map((note) => `lenient    ${note}`),
    ...(read.unfaithful ? ['unfaithful it cannot be written in this dialect so that it reads back the same'] : []),
  ].join('\n');
}
