import type { ChatTokenizer } from '../chat-tokenizer';
import { type Conversation, conversationsByTurn } from '../conversation';
import { type MaskOptions, MaskProblem } from '../mask';
import { beginsWith, type SampledCall, samplesOf } from '../model-calls';
import type { DatasetRow } from '../row';
import { figuresOf, tokenisedFigures } from '../sampled-figures';
import { IGNORED, tokenize } from '../tokens';
import type { DataRecord, ExportContext, Exported, LinesExporter } from './exporter';
import type { Fields } from './fields';
import { METADATA_COLUMNS, PROVENANCE_COLUMNS, provenance } from './messages';
import { fieldsOf, listOf, metadataIn, nothingTrained, textOf } from './read';
import { numbersIn } from './read-tokens';

/**
 * Ids and labels, for trainers that take them as they are: whatever a trainer thinks of messages, nothing but the trained
 * turns has a loss. Where the trained turns were kept as they were sampled (`keepTokens`) the ids are those, which no text
 * gives back for certain; else the row's text is tokenised. `source` says which. Of one tokenizer and chat template, which
 * the data set's card names.
 */
export const tokens: LinesExporter = {
  format: 'tokens',
  layout: 'lines',
  mask: 'labels',
  loadedBy: 'any trainer that takes `input_ids` and `labels`, of the tokenizer named below alone',
  isOf: (fields) => 'input_ids' in fields && !('teacher_logprobs' in fields),
  namesSteps: true,
  readsTokens: true,
  export(row, context) {
    const { id, conversation, trajectory } = row;
    if (nothingTrained(conversation)) return { records: [], left: [{ reason: 'nothing_trained', detail: id }] };
    const calls = trajectory?.calls ?? [];
    const sampled = sampledTurns(row, context.tokenizer);
    if (typeof sampled !== 'string') return asSampled(row, sampled, context);
    return { ...tokenised(row, context), sampled: tokenisedFigures(sampled, calls) };
  },
  columns: {
    id: { type: 'string' },
    input_ids: { type: { list: 'int' } },
    attention_mask: { type: { list: 'int' } },
    labels: { type: { list: 'int' } },
    source: { type: 'string' },
    turns: { type: { list: { struct: { ...PROVENANCE_COLUMNS, start: { type: 'int' }, end: { type: 'int' } } } } },
    metadata: { type: { struct: METADATA_COLUMNS } },
  },
  read(record) {
    const fields = fieldsOf(record);
    const ids = numbersIn(fields, 'input_ids');
    const labels = numbersIn(fields, 'labels');
    const given = Array.isArray(fields.turns) ? listOf(fields, 'turns') : runsOf(labels);
    const turns = given.map((turn) => ({
      message: -1,
      trained: Number(turn.start) >= 0,
      author: typeof turn.author === 'string' ? turn.author : null,
      step: typeof turn.step === 'string' ? turn.step : null,
    }));
    const { row, train } = metadataIn(record);
    const problems = Array.isArray(fields.turns) ? spanProblems(given, labels) : [];
    return {
      id: textOf(fields.id) || row,
      row,
      turns,
      messages: null,
      tools: null,
      train,
      tokens: { ids, labels },
      endsWithTurn: false,
      problems,
    };
  },
};

type Left = Exported['left'][number][];

/** The calls of the trained turns, all with their tokens; or why they are not to be had. */
function sampledTurns(
  { conversation, trajectory }: DatasetRow,
  tokenizer: ChatTokenizer | undefined,
): readonly SampledCall[] | string {
  if (!trajectory) return 'no_trajectory';
  const { calls, transcript } = trajectory;
  const made = new Map(calls.map((call) => [call.step, call]));
  const trained = conversation.turns.flatMap((turn, step) => (turn.trained ? [made.get(step)] : []));
  const whole = trained.filter((call): call is SampledCall => call?.tokens?.prompt !== undefined);
  if (whole.length < trained.length) {
    if (trained.every((call) => call?.kept === undefined)) return 'not_kept';
    return 'not_all_kept';
  }
  if (new Set(whole.map(({ model }) => model)).size > 1) return 'several_models';
  return tokenizer && !reads(tokenizer, whole[0]!, transcript.opening.statement) ? 'other_tokenizer' : whole;
}

/** Whether ids are of this tokenizer: what the model read must hold the longest line of the task. */
function reads({ decode }: ChatTokenizer, { tokens: { prompt } }: SampledCall, statement: string): boolean {
  const plain = (text: string) => text.normalize('NFKC').replace(/\s+/g, '').toLowerCase();
  const longest = statement.split('\n').reduce((a, b) => (b.length > a.length ? b : a), '');
  try {
    return plain(decode(prompt)).includes(plain(longest));
  } catch {
    return false;
  }
}

function asSampled(
  row: DatasetRow,
  calls: readonly SampledCall[],
  { tokenizer, tokenTurns = 'all' }: ExportContext,
): Exported {
  const { id, conversation, metadata } = row;
  const merged = samplesOf(calls);
  const alone = (tokenTurns === 'last' ? calls.slice(-1) : calls).flatMap((call) => samplesOf([call]));
  const samples = tokenTurns === 'all' ? merged : alone;
  const records = samples.map(({ ids, answers }): DataRecord => {
    const labels = ids.map(() => IGNORED);
    for (const { start, end } of answers) for (let i = start; i < end; i += 1) labels[i] = ids[i]!;
    const spans = new Map(answers.map(({ call, start, end }) => [call.step, { start, end }]));
    const last = answers.at(-1)!.call.step!;
    const turns = conversation.turns
      .map((turn, step) => ({ ...provenance(turn), ...(spans.get(step) ?? { start: -1, end: -1 }) }))
      .slice(tokenTurns === 'last' ? last : 0, last + 1);
    const name = tokenTurns === 'all' && samples.length === 1 ? id : `${id}#${conversation.turns[last]!.turn}`;
    return { id: name, input_ids: ids, attention_mask: ids.map(() => 1), labels, source: 'sampled', turns, metadata };
  });
  const figures = figuresOf(samples, row.trajectory!.calls, driftOf(conversation, calls, tokenizer));
  return { records, left: [], sampled: { ...figures, breaks: merged.length - 1 } };
}

/** How many of the trained turns give other ids when their text is tokenised; a row that cannot be masked is not compared. */
function driftOf(
  conversation: Conversation,
  calls: readonly SampledCall[],
  tokenizer: ChatTokenizer | undefined,
): { compared: number; drifted: number } {
  if (!tokenizer) return { compared: 0, drifted: 0 };
  try {
    const { ids, spans } = tokenize(conversation, tokenizer);
    const said = new Map(
      spans.map(({ turn, start, end }) => [conversation.turns.indexOf(turn), ids.slice(start, end)]),
    );
    const differs = calls.filter(
      ({ step, tokens: { answer } }) => !sameAnswer(answer, said.get(step!) ?? [], tokenizer),
    );
    return { compared: calls.length, drifted: differs.length };
  } catch (error) {
    if (!(error instanceof MaskProblem)) throw error;
    return { compared: 0, drifted: 0 };
  }
}

/** Servers differ in whether the token that ends a turn is among those that were sampled. */
function sameAnswer(sampled: readonly number[], said: readonly number[], { added }: ChatTokenizer): boolean {
  const [short, long] = sampled.length < said.length ? [sampled, said] : [said, sampled];
  const ended = long.length - short.length <= 1 && long.slice(short.length).every((id) => added.has(id));
  return ended && beginsWith(long, short);
}

function tokenised(
  { id, conversation, metadata }: DatasetRow,
  { tokenizer, tokenTurns = 'all' }: ExportContext,
): Exported {
  if (!tokenizer) return { records: [], left: [{ reason: 'no_tokenizer', detail: id }] };
  const whole = tokenTurns === 'all';
  const parts = whole ? [conversation] : conversationsByTurn(conversation, tokenTurns);
  const records: DataRecord[] = [];
  const left: Left = [];
  for (const part of parts) {
    const last = part.turns.findLast((turn) => turn.trained)!.turn;
    const name = whole ? id : `${id}#${last}`;
    try {
      // Turns that another record trains, or none does, are not this one's.
      const shown = tokenTurns === 'last' ? { ...part, turns: part.turns.slice(-1) } : part;
      records.push({ id: name, ...labelled(shown, tokenizer, { withoutTools: !whole }), metadata });
    } catch (error) {
      if (!(error instanceof MaskProblem)) throw error;
      left.push({ reason: error.reason, detail: `${name}: ${error.message}` });
    }
  }
  return { records, left };
}

function labelled(conversation: Conversation, tokenizer: ChatTokenizer, options: MaskOptions): DataRecord {
  const { ids, labels, spans } = tokenize(conversation, tokenizer, options);
  const where = new Map(spans.map((span) => [span.turn.message, span]));
  const turns = conversation.turns.map((turn) => {
    const span = where.get(turn.message);
    return { ...provenance(turn), start: span?.start ?? -1, end: span?.end ?? -1 };
  });
  return { input_ids: ids, attention_mask: ids.map(() => 1), labels, source: 'tokenised', turns };
}

/** Stretches with a loss: in a file that does not name its turns they stand for them. */
function runsOf(labels: readonly number[]): Fields[] {
  const runs: { start: number; end: number }[] = [];
  labels.forEach((label, i) => {
    if (label === IGNORED) return;
    const last = runs.at(-1);
    if (last?.end === i) last.end = i + 1;
    else runs.push({ start: i, end: i + 1 });
  });
  return runs;
}

/** The loss is on the named turns and nowhere else. */
function spanProblems(turns: readonly Fields[], labels: readonly number[]): string[] {
  const inside = new Uint8Array(labels.length);
  for (const { start, end } of turns) {
    if (Number(start) >= 0) inside.fill(1, Number(start), Number(end));
  }
  const wrong = labels.findIndex((label, i) => (label !== IGNORED) !== (inside[i] === 1));
  if (wrong < 0) return [];
  return [
    `token ${wrong}: expected ${inside[wrong] ? 'a loss, as it is of a trained turn' : 'no loss, as it is of no trained turn'}`,
  ];
}
