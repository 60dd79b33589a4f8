import type { DialectName } from '../../contract';
import { malformedReply } from './malformed';
import {
  type Fingerprint,
  fingerprintOf,
  type IncomingMessage,
  isUnrecognisable,
  matches,
  matchesSlip,
} from './matching';
import { type Reply, renderReply } from './render';
import type { ScriptedModel, ScriptTurn } from './script';

interface Entry {
  readonly turn: ScriptTurn;
  /** Refused by the harness and shown to the model once: it is in the history of the next request only, if at all. */
  readonly slip: boolean;
  readonly print: Fingerprint;
}

/** What to answer: `position` is the script's entry (from 0), the same for the same history. */
export interface Cue {
  readonly position: number;
  readonly turn: ScriptTurn;
}

interface Part {
  readonly when?: string;
  readonly entries: readonly Entry[];
  readonly end: ScriptTurn;
}

const SUBMIT: ScriptTurn = { thought: '', tool: 'submit', args: {} };

/** A scripted model made ready to play. Holds no state: what comes next is read off the request's own messages. */
export class Policy {
  private readonly parts: readonly Part[];

  constructor(private readonly model: ScriptedModel) {
    const part = (from: Pick<ScriptedModel, 'generate' | 'end'> & { turns?: ScriptTurn[] | undefined }): Part => {
      const turns = [...(from.turns ?? []), ...generated(from.generate)];
      const end = from.end === 'submit' ? SUBMIT : from.end === 'repeat' ? (turns.at(-1) ?? SUBMIT) : from.end;
      return { entries: turns.map((turn, index) => entryOf(turn, model.dialect, index)), end };
    };
    const scenes = model.scenes.map((scene) => ({ when: scene.when, ...part({ end: model.end, ...scene }) }));
    this.parts = [...scenes, part(model)];
  }

  /** The next turn for a conversation with these messages. */
  next(messages: readonly IncomingMessage[]): Cue {
    const opening = messages
      .slice(0, firstAssistant(messages))
      .map((message) => textOf(message))
      .join('\n');
    const part = this.parts.find(({ when }) => when === undefined || opening.includes(when))!;
    const said = messages.filter((message) => message.role === 'assistant').map(fingerprintOf);
    const position = this.model.position === 'turn' ? byCount(part.entries, said) : byMatch(part.entries, said);
    return { position, turn: part.entries[position]?.turn ?? part.end };
  }

  reply(cue: Cue, callId: string): Reply {
    return replyOf(cue.turn, this.model.dialect, callId, cue.position);
  }
}

/** Counts assistant messages, but for slips: the harness drops a slip once it has been mended. */
function byCount(entries: readonly Entry[], said: readonly Fingerprint[]): number {
  let position = 0;
  for (const message of said) {
    const slips = afterSlips(entries, position, message);
    if (slips !== undefined) position = slips;
    else position = (matchesStep(entries, position, message) ? nextStep(entries, position) : position) + 1;
  }
  return position;
}

/**
 * The longest run of the script's first turns that occurs in order among the messages; what others said in between, and
 * what was said twice, does not count. Before the first turn of its own, an unknown message is another policy's turn;
 * after it, while slips are due, it is a slip that the harness wrote down in its own way.
 */
function byMatch(entries: readonly Entry[], said: readonly Fingerprint[]): number {
  let position = 0;
  for (const message of said) {
    if (matchesStep(entries, position, message)) position = nextStep(entries, position) + 1;
    else position = afterSlips(entries, position, message, position > 0) ?? position;
  }
  return position;
}

/** The position after the slip that this message shows; undefined where no slip is due or the message shows none. */
function afterSlips(entries: readonly Entry[], from: number, said: Fingerprint, guess = true): number | undefined {
  const due = entries.slice(from, nextStep(entries, from));
  if (due.length === 0) return undefined;
  const shown = due.findIndex((slip) => matchesSlip(slip.print, said));
  if (shown >= 0) return from + shown + 1;
  if (!guess || matchesStep(entries, from, said)) return undefined;
  return (
    from +
    Math.max(
      0,
      due.findIndex((slip) => isUnrecognisable(slip.print)),
    ) +
    1
  );
}

function matchesStep(entries: readonly Entry[], from: number, said: Fingerprint): boolean {
  const step = entries[nextStep(entries, from)];
  return step !== undefined && matches(step.print, said);
}

function nextStep(entries: readonly Entry[], from: number): number {
  let at = from;
  while (entries[at]?.slip) at++;
  return at;
}

function entryOf(turn: ScriptTurn, dialect: DialectName, index: number): Entry {
  const slip = 'malformed' in turn || ('raw' in turn && turn.slip);
  const { content, toolCalls } = replyOf(turn, dialect, 'call', index);
  const calls = toolCalls.map((call) => ({ function: { name: call.name, arguments: call.arguments } }));
  return { turn, slip, print: fingerprintOf({ role: 'assistant', content, tool_calls: calls }) };
}

function replyOf(turn: ScriptTurn, dialect: DialectName, callId: string, index: number): Reply {
  if ('malformed' in turn) return malformedReply(turn.malformed, dialect, callId, index + 1);
  if ('raw' in turn) return { content: turn.raw, toolCalls: [] };
  return renderReply(turn, dialect, callId);
}

function generated(rule: ScriptedModel['generate']): ScriptTurn[] {
  if (!rule) return [];
  return Array.from({ length: rule.steps }, (_, index) => {
    const fill = (text: string) => text.replaceAll('{k}', String(index + 1));
    const bytes = rule.observationKiB * 1024;
    // 127 characters and a line break a line, so that the output is text like any other and not one endless line.
    const output =
      bytes === 0 ? '' : ` && head -c ${Math.floor((bytes / 128) * 127)} /dev/zero | tr '\\0' x | fold -w 127`;
    return { thought: fill(rule.thought), tool: 'bash', args: { command: fill(rule.command) + output } };
  });
}

function firstAssistant(messages: readonly IncomingMessage[]): number {
  const at = messages.findIndex((message) => message.role === 'assistant');
  return at === -1 ? messages.length : at;
}

function textOf(message: IncomingMessage): string {
  return typeof message.content === 'string' ? message.content : JSON.stringify(message.content ?? '');
}
