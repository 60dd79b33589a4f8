import { createHash } from 'node:crypto';
import type { DatasetCheck } from '../contract/dataset';
import { PointsmanError } from '../contract/errors';
import { DatasetFormat } from '../contract/names';
import type { Author, ChatMessage } from '../contract/step';
import type { ChatTokenizer } from './chat-tokenizer';
import { EXPORTERS } from './exporters';
import {
  type ReadMessage,
  type ReadRecord,
  type ReadTurn,
  RecordProblem,
  type RecordReader,
} from './exporters/exporter';
import { OTHERS } from './exporters/others';
import { fieldsOf } from './exporters/read';
import { MaskProblem, renderWithMask } from './mask';
import { countOf } from './tokens';

export interface CheckOptions {
  /** How problems name the file. */
  readonly file: string;
  /** Found by the first record where it is not given. */
  readonly format?: DatasetFormat;
  /** Tokens of a record; without it lengths are not looked at. */
  readonly maxTokens?: number;
  /** Without it lengths are estimated. */
  readonly tokenizer?: ChatTokenizer;
  /** Who made the step with this hash; undefined where it is not kept here. Without it a file's word on its authors stands. */
  readonly authorOf?: (step: string) => Promise<Author | undefined>;
}

/** A record with its place in the file, or what is wrong with that place. Lines count from 1. */
export type Located =
  | { readonly line: number; readonly record: unknown }
  | { readonly line: number; readonly problem: string };

export interface CheckedFile extends DatasetCheck {
  /** Turns whose step was found and says the same of its author. */
  readonly proven: number;
}

/** More would only hide the first. */
const MOST_PROBLEMS = 200;

/**
 * Checks a file on its own, as its trainer will see it: nothing of ours is needed but the file. Where steps are at hand, what
 * it says of its turns' authors is compared with them. Problems read `file:line: expected …, found …`.
 *
 * Turns are counted once, although formats of one record a turn repeat those before. Where the file says who wrote a turn,
 * the trained turns must be exactly those of the authors it names in `train`, the expert where it names none.
 */
export async function checkRecords(records: AsyncIterable<Located>, options: CheckOptions): Promise<CheckedFile> {
  const checker = new Checker(options);
  for await (const located of records) await checker.take(located);
  return checker.result();
}

class Checker {
  private exporter: RecordReader | undefined;
  private readonly problems: string[] = [];
  private unlisted = 0;
  private rows = 0;
  private readonly counts = { turns: 0, trained: 0, expert: 0 };
  private readonly proven = new Set<string>();
  private authorsKnown = false;
  /** Assistant turns, and those of them of which the file does not say whether they are trained. */
  private readonly masks = { turns: 0, unsaid: 0 };
  /** Line of the first record with a name or a content. */
  private readonly ids = new Map<string, number>();
  private readonly contents = new Map<string, number>();
  private open: OpenRow | undefined;

  constructor(private readonly options: CheckOptions) {
    if (options.format) this.exporter = readerNamed(options.format);
  }

  async take(located: Located): Promise<void> {
    const { line } = located;
    if ('problem' in located) {
      this.say(line, located.problem);
      return;
    }
    this.rows += 1;
    try {
      this.exporter ??= readerOf(located.record);
      const record = this.exporter.read(located.record);
      this.check(line, record);
      await this.compare(line, record);
    } catch (error) {
      if (!(error instanceof RecordProblem)) throw error;
      this.say(line, error.message);
    }
  }

  result(): CheckedFile {
    this.close();
    const { turns, trained, expert } = this.counts;
    const more = this.unlisted > 0 ? [`${this.options.file}: ${this.unlisted} more problems`] : [];
    return {
      format: this.exporter?.format ?? null,
      rows: this.rows,
      turns,
      trainedTurns: trained,
      expertTurns: this.authorsKnown ? expert : null,
      proven: this.proven.size,
      mask: this.maskSentence(),
      problems: [...this.problems, ...more],
    };
  }

  /** What becomes of a file without a mask, or with one that its usual trainers do not read. */
  private maskSentence(): string | null {
    const { turns, unsaid } = this.masks;
    if (turns === 0) return null;
    const ignored = this.exporter?.mask === 'ignored';
    if (unsaid < turns && !ignored) return null;
    const all =
      turns === 1
        ? 'the assistant turn is'
        : turns === 2
          ? 'both assistant turns are'
          : `all ${turns} assistant turns are`;
    return unsaid === turns
      ? `no mask: ${all} trained`
      : `a mask that its usual trainers do not read: by them ${all} trained`;
  }

  private check(line: number, record: ReadRecord): void {
    this.masks.turns += record.turns.length;
    this.masks.unsaid += record.turns.filter(({ unsaid }) => unsaid).length;
    for (const problem of recordProblems(record)) this.say(line, problem);
    if (record.row === '' || record.row !== this.open?.row) this.close();
    this.open ??= { row: record.row, line, train: record.train, turns: new Map() };
    for (const [i, turn] of record.turns.entries()) this.addTurn(this.open, line, turn, i);
    if (this.exporter?.mask !== 'ignored' && !record.turns.some(({ trained }) => trained)) {
      this.say(line, 'expected a trained turn, found none');
    }
    this.once(
      this.ids,
      record.id,
      line,
      (first) => `expected a record of its own, found the id of line ${first} again`,
    );
    this.once(
      this.contents,
      digestOf(record),
      line,
      (first) => `expected a record of its own, found that of line ${first} again`,
    );
    this.checkLength(line, record);
    this.tryTemplate(line, record);
  }

  /** What a trainer with this template would train of it. */
  private tryTemplate(line: number, { messages, tools, turns }: ReadRecord): void {
    const { tokenizer } = this.options;
    if (!tokenizer || !messages) return;
    const conversation = {
      messages: messages.map(chatMessage),
      ...(tools?.length ? { tools } : {}),
      turns: turns.map(({ message, trained }, i) => ({
        message,
        turn: i + 1,
        author: 'expert' as const,
        trained,
        faithful: true,
        step: '',
      })),
      marks: [],
    };
    try {
      renderWithMask(conversation, tokenizer);
    } catch (error) {
      if (!(error instanceof MaskProblem)) throw error;
      this.say(line, `chat template: ${error.message}`);
    }
  }

  /** A file that names another author than the step has been changed, or the mask was made for another chain. */
  private async compare(line: number, { turns }: ReadRecord): Promise<void> {
    for (const [i, { step, author }] of turns.entries()) {
      if (!step || author === null) continue;
      const made = await this.options.authorOf?.(step);
      if (made === author) this.proven.add(step);
      else if (made !== undefined)
        this.say(line, `turn ${i + 1}: expected ${made}, who made step ${step.slice(0, 12)}…, found ${author}`);
    }
  }

  /** A turn that comes again in another record of its row is the same turn. */
  private addTurn(row: OpenRow, line: number, turn: ReadTurn, i: number): void {
    const key = turn.step || `${line} ${i}`;
    const known = row.turns.get(key);
    if (known?.trained && turn.trained)
      this.say(line, `turn ${i + 1}: expected it to be trained once, found it trained again`);
    if (!known?.trained) row.turns.set(key, turn);
  }

  private close(): void {
    if (!this.open) return;
    const { line, train, turns } = this.open;
    const allowed = new Set(train ?? ['expert']);
    let at = 0;
    for (const { author, trained } of turns.values()) {
      at += 1;
      this.counts.turns += 1;
      if (trained) this.counts.trained += 1;
      if (author === null) continue;
      this.authorsKnown = true;
      if (author === 'expert') this.counts.expert += 1;
      if (trained && !allowed.has(author)) {
        this.say(line, `turn ${at}: expected no loss on a turn of the ${author}, found it trained`);
      }
      if (!trained && allowed.has(author)) {
        this.say(line, `turn ${at}: expected a loss on a turn of the ${author}, found it masked`);
      }
    }
    this.open = undefined;
  }

  private checkLength(line: number, record: ReadRecord): void {
    const { maxTokens, tokenizer } = this.options;
    if (maxTokens === undefined) return;
    const tokens = record.tokens?.ids.length ?? lengthOf(record, tokenizer);
    if (tokens <= maxTokens) return;
    const how = record.tokens || tokenizer ? '' : ' (estimated)';
    this.say(line, `expected at most ${maxTokens} tokens, found ${tokens}${how}: trainers cut or drop it`);
  }

  private once(seen: Map<string, number>, key: string, line: number, again: (first: number) => string): void {
    if (key === '') return;
    const first = seen.get(key);
    if (first === undefined) seen.set(key, line);
    else this.say(line, again(first));
  }

  private say(line: number, problem: string): void {
    if (this.problems.length < MOST_PROBLEMS) this.problems.push(`${this.options.file}:${line}: ${problem}`);
    else this.unlisted += 1;
  }
}

/** Records of one row stand together: it is judged when the next begins. */
interface OpenRow {
  readonly row: string;
  readonly line: number;
  readonly train: readonly string[] | null;
  readonly turns: Map<string, ReadTurn>;
}

function readerNamed(format: DatasetFormat): RecordReader {
  const exporter = EXPORTERS[format];
  if (exporter.layout === 'lines') return exporter;
  const document = OTHERS.find((each) => each.format.startsWith(`${format} `));
  if (document) return document;
  const lines = DatasetFormat.options.filter((name) => EXPORTERS[name].layout === 'lines');
  throw new PointsmanError(
    'InvalidInput',
    `format: ${format} is a folder of files, not lines of one`,
    `Check one of: ${lines.join(', ')}.`,
  );
}

function digestOf({ messages, tokens, turns }: ReadRecord): string {
  if (!messages && !tokens) return '';
  const trained = turns.filter((turn) => turn.trained).map((turn) => turn.message);
  return createHash('sha256')
    .update(JSON.stringify([messages, tokens, trained]))
    .digest('base64')
    .slice(0, 22);
}

function lengthOf({ messages, tools }: ReadRecord, tokenizer: ChatTokenizer | undefined): number {
  const conversation = { messages: (messages ?? []).map(chatMessage), tools: tools ?? [], turns: [], marks: [] };
  return countOf(conversation, tokenizer);
}

function chatMessage({ role, content, calls, answers }: ReadMessage): ChatMessage {
  if (role === 'tool') return { role, content, tool_call_id: answers ?? '' };
  if (role !== 'assistant') return { role: role === 'system' ? role : 'user', content };
  if (calls.length === 0) return { role, content };
  const tool_calls = calls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(args ?? {}) },
  }));
  return { role, content, tool_calls };
}

/** The format of a file by its first record: by the fields that only that format has; `universal` where none has any. */
function readerOf(record: unknown): RecordReader {
  const fields = fieldsOf(record);
  const lines = Object.values(EXPORTERS).flatMap((each) => (each.layout === 'lines' ? [each] : []));
  // What agents write down has fields of its own beside those that we write too.
  return [...OTHERS, ...lines].find((each) => each.isOf(fields)) ?? readerNamed('universal');
}

/** What is wrong with one record by itself, in the order of its messages. */
function recordProblems(record: ReadRecord): string[] {
  return [
    ...record.problems,
    ...(record.messages ? messageProblems(record) : []),
    ...(record.tokens ? tokenProblems(record.tokens) : []),
    ...stepProblems(record),
  ];
}

const ROLES = new Set(['system', 'user', 'assistant', 'tool']);

function messageProblems({ messages, tools, endsWithTurn }: ReadRecord): string[] {
  const problems: string[] = [];
  const all = messages ?? [];
  const known = new Set(tools?.map((tool) => tool.function.name));
  let open: string[] = [];
  all.forEach(({ role, content, calls, answers }, i) => {
    const say = (what: string) => problems.push(`message ${i}: ${what}`);
    const before = all[i - 1]?.role;
    if (!ROLES.has(role)) say(`expected role system, user, assistant or tool, found "${role}"`);
    if (role === 'system' && i > 0) say('expected the system message to be the first, found another');
    if (role === 'assistant' && (before === 'assistant' || before === 'system' || i === 0)) {
      say(`expected a user or tool message before a turn of the model, found ${before ?? 'nothing'}`);
    }
    if (role === 'assistant' && content.trim() === '' && calls.length === 0) {
      say('expected text or a call in a turn of the model, found an empty turn');
    }
    if (role === 'tool') {
      if (answers === null) say('expected a tool_call_id, found none');
      else if (!open.includes(answers)) say(`expected an answer to an open call, found tool_call_id "${answers}"`);
      open = open.filter((id) => id !== answers);
    } else if (open.length > 0) {
      say(`expected an answer to call "${open[0]}" first, found a message of the ${role}`);
      open = [];
    }
    for (const call of calls) {
      if (call.id === '' && tools !== null && tools.length > 0) say('expected the call to have an id, found none');
      if (tools !== null && !known.has(call.name))
        say(`expected "${call.name}" among the tools, found ${[...known].join(', ') || 'none'}`);
      open.push(call.id);
    }
  });
  const last = all.at(-1)?.role;
  if (endsWithTurn && last !== 'assistant') {
    problems.push(`expected the record to end with a turn of the model, found ${last ?? 'no message'}`);
  }
  return problems;
}

function tokenProblems({ ids, labels }: NonNullable<ReadRecord['tokens']>): string[] {
  if (ids.length !== labels.length)
    return [`expected as many labels as input_ids (${ids.length}), found ${labels.length}`];
  const wrong = labels.findIndex((label, i) => label !== -100 && label !== ids[i]);
  if (wrong >= 0) return [`token ${wrong}: expected label -100 or ${ids[wrong]}, found ${labels[wrong]}`];
  return labels.every((label) => label === -100)
    ? ['expected a label that is not -100, found none: nothing is trained']
    : [];
}

/** Rows that no chain stands behind have no hashes; one that has some has all, each once. */
function stepProblems({ turns }: ReadRecord): string[] {
  const steps = turns.flatMap(({ step }) => (step === null ? [] : [step]));
  if (steps.every((step) => step === '')) return [];
  const seen = new Set<string>();
  return steps.flatMap((step, i) => {
    if (seen.has(step)) return [`turn ${i + 1}: expected a step of its own, found ${step.slice(0, 12)}… again`];
    seen.add(step);
    return /^[0-9a-f]{64}$/.test(step)
      ? []
      : [`turn ${i + 1}: expected the hash of a step, found "${step.slice(0, 70)}"`];
  });
}
