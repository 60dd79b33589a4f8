import type { DialectName } from '../../contract';
import { malformedReply } from './malformed';
import { type Fingerprint, fingerprintOf, type IncomingMessage, matches } from './matching';
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
      return { entries: turns.map((turn) => entryOf(turn, model.dialect)), end };
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
    return replyOf(cue.turn, this.model.dialect, callId);
  }
}

/**
 * Counts assistant messages. Past a slip it must know whether the slip is still shown: the harness drops it once it has
 * been mended, so a message that is the turn after the slip was preceded by a slip that is gone.
 */
function byCount(entries: readonly Entry[], said: readonly Fingerprint[]): number {
  let position = 0;
  for (const message of said) {
    if (entries[position]?.slip && !matches(entries[position]!.print, message)) {
      const step = nextStep(entries, position);
      if (step < entries.length && matches(entries[step]!.print, message)) position = step;
    }
    position++;
  }
  return position;
}

/**
 * The longest run of the script's first turns that occurs in order among the messages; what others said in between, and
 * what was said twice, does not count. Slips are played after the turn before them has been found.
 */
function byMatch(entries: readonly Entry[], said: readonly Fingerprint[]): number {
  let position = 0;
  for (const message of said) {
    const step = nextStep(entries, position);
    if (step < entries.length && matches(entries[step]!.print, message)) position = step + 1;
    // After a turn of its own the next unknown message is the slip, however the harness wrote it down; before the first
    // one it may as well be another policy's turn.
    else if (entries[position]?.slip && (position > 0 || matches(entries[position]!.print, message))) position++;
  }
  return position;
}

function nextStep(entries: readonly Entry[], from: number): number {
  let at = from;
  while (entries[at]?.slip) at++;
  return at;
}

function entryOf(turn: ScriptTurn, dialect: DialectName): Entry {
  const slip = 'malformed' in turn || ('raw' in turn && turn.slip);
  const { content, toolCalls } = replyOf(turn, dialect, 'call');
  const calls = toolCalls.map((call) => ({ function: { name: call.name, arguments: call.arguments } }));
  return { turn, slip, print: fingerprintOf({ role: 'assistant', content, tool_calls: calls }) };
}

function replyOf(turn: ScriptTurn, dialect: DialectName, callId: string): Reply {
  if ('malformed' in turn) return malformedReply(turn.malformed, dialect, callId);
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
