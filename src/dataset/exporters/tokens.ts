import type { ChatTokenizer } from '../chat-tokenizer';
import { type Conversation, conversationsByTurn } from '../conversation';
import { type MaskOptions, MaskProblem } from '../mask';
import { IGNORED, tokenize } from '../tokens';
import { type DataRecord, type Exported, type LinesExporter, RecordProblem } from './exporter';
import type { Fields } from './fields';
import { METADATA_COLUMNS, PROVENANCE_COLUMNS, provenance } from './messages';
import { fieldsOf, listOf, metadataIn, nothingTrained, textOf } from './read';

/**
 * Ids and labels, for trainers that take them as they are: whatever a trainer thinks of messages, nothing but the trained
 * turns has a loss. Of one tokenizer and chat template, which the data set's card names.
 */
export const tokens: LinesExporter = {
  format: 'tokens',
  layout: 'lines',
  mask: 'labels',
  loadedBy: 'any trainer that takes `input_ids` and `labels`, of the tokenizer named below alone',
  isOf: (fields) => 'input_ids' in fields,
  namesSteps: true,
  export({ id, conversation, metadata }, { tokenizer, tokenTurns = 'all' }) {
    if (!tokenizer) return { records: [], left: [{ reason: 'no_tokenizer', detail: id }] };
    if (nothingTrained(conversation)) return { records: [], left: [{ reason: 'nothing_trained', detail: id }] };
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
  },
  columns: {
    id: { type: 'string' },
    input_ids: { type: { list: 'int' } },
    attention_mask: { type: { list: 'int' } },
    labels: { type: { list: 'int' } },
    turns: { type: { list: { struct: { ...PROVENANCE_COLUMNS, start: { type: 'int' }, end: { type: 'int' } } } } },
    metadata: { type: { struct: METADATA_COLUMNS } },
  },
  read(record) {
    const fields = fieldsOf(record);
    const ids = numbers(fields, 'input_ids');
    const labels = numbers(fields, 'labels');
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

function labelled(conversation: Conversation, tokenizer: ChatTokenizer, options: MaskOptions): DataRecord {
  const { ids, labels, spans } = tokenize(conversation, tokenizer, options);
  const where = new Map(spans.map((span) => [span.turn.message, span]));
  const turns = conversation.turns.map((turn) => {
    const span = where.get(turn.message);
    return { ...provenance(turn), start: span?.start ?? -1, end: span?.end ?? -1 };
  });
  return { input_ids: ids, attention_mask: ids.map(() => 1), labels, turns };
}

function numbers(fields: Fields, name: string): number[] {
  const value = fields[name];
  if (Array.isArray(value) && value.every((item) => Number.isInteger(item))) return value as number[];
  throw new RecordProblem(`expected "${name}" to be a list of integers`);
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
