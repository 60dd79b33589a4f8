import fc from 'fast-check';
import type { DatasetFormat } from '../../src/contract/names';
import type { ChatMessage } from '../../src/contract/step';
import { createChatTokenizer } from '../../src/dataset/chat-tokenizer';
import { EXPORTERS, type ExportContext } from '../../src/dataset/exporters';
import { traj } from '../../src/dataset/exporters/traj';
import { jsonLine } from '../../src/dataset/parquet';
import type { DatasetRow } from '../../src/dataset/row';
import { examples } from '../support/counts';
import { anyRow, CONTEXT } from './any-row';
import { byteTokenizer } from './byte-tokenizer';

/** A message as a trainer finds it in the file: nothing of ours reads it. */
type Message = Record<string, unknown> & { role?: string; from?: string; content?: string; value?: string };
type Line = Record<string, unknown>;

/** What each format's trainer puts a loss on, as its own documentation says: the words of those messages. */
const TRAINED: Partial<Record<DatasetFormat, (line: Line) => Message[]>> = {
  universal: (line) => messages(line, 'messages').filter((message) => message.train === true),
  openai: (line) => messages(line, 'messages').filter(({ role, weight }) => role === 'assistant' && weight !== 0),
  trl: (line) => messages(line, 'completion').filter(({ role }) => role === 'assistant'),
  axolotl: (line) => messages(line, 'messages').filter((message) => message.train === true),
  'swesmith-xml': (line) => messages(line, 'messages').filter((message) => message.train === true),
  'swesmith-ticks': (line) => messages(line, 'messages').filter((message) => message.train === true),
  'swesmith-tool': (line) => messages(line, 'messages').filter((message) => message.train === true),
  sharegpt: (line) => messages(line, 'conversations').filter((message) => message.train === true),
  'sharegpt-turns': (line) => messages(line, 'conversations').slice(-1),
  atif: (line) =>
    messages(line, 'steps')
      .filter(({ extra }) => (extra as { trained?: boolean } | undefined)?.trained)
      .map(({ message }) => ({ content: String(message) })),
};
const EXAMPLES = examples(50, 1_000);
const FORMATS = Object.keys(TRAINED) as DatasetFormat[];

const messages = (line: Line, field: string) => line[field] as Message[];
const wordsOf = (message: Message) => String(message.content ?? message.value ?? '');

/** The marks that the sample puts at the beginning of each turn's words: they say who wrote them, whatever a file says. */
function marksAtStart(found: Message[]): string[] {
  return found.map((message) => /^\[([ESO]\d+)\]/.exec(wordsOf(message))?.[1] ?? `unmarked: ${wordsOf(message)}`);
}

function expertMarks(row: DatasetRow): string[] {
  return row.trajectory!.transcript.steps.flatMap(({ turn }) => (turn.author === 'expert' ? [`E${turn.turn}`] : []));
}

function trajTrained(row: DatasetRow): Message[] {
  const { files } = traj.files(row, 0, CONTEXT);
  const { history } = JSON.parse(files[0]!.text) as { history: Message[] };
  return history.filter(({ trained }) => trained === true);
}

function linesOf(format: DatasetFormat, row: DatasetRow, context: ExportContext = CONTEXT): Line[] {
  const exporter = EXPORTERS[format];
  if (exporter.layout === 'folder') throw new Error(`${format} is a folder`);
  return exporter.export(row, context).records.map((record) => JSON.parse(jsonLine(record)) as Line);
}

test('of mixed trajectories, every format trains the turns that an expert wrote, and no others', () => {
  let mixed = 0;
  fc.assert(
    fc.property(anyRow(), (row) => {
      const expected = expertMarks(row);
      if (expected.length > 0 && expected.length < row.conversation.turns.length) mixed += 1;
      const found = Object.fromEntries(
        FORMATS.map((format) => [format, marksAtStart(linesOf(format, row).flatMap((line) => TRAINED[format]!(line)))]),
      );
      expect(found).toEqual(Object.fromEntries(FORMATS.map((format) => [format, expected])));
      expect(marksAtStart(trajTrained(row))).toEqual(expected);
    }),
    { numRuns: EXAMPLES },
  );
  expect(mixed).toBeGreaterThan(EXAMPLES / 5);
});

test('tokens: of mixed trajectories, labels decode to what experts wrote and the ends of their turns', async () => {
  const files = byteTokenizer('I look at the file.\n\n<function=bash>\n<parameter=command>ls -la\n\n\n'.repeat(4), 60);
  const tokenizer = await createChatTokenizer(files);
  fc.assert(
    fc.property(anyRow(), (row) => {
      // The template writes content only: a call has to be in it.
      const text = row.metadata.dialect === 'tools' ? withCallsAsText(row) : row;
      const lines = linesOf('tokens', text, { ...CONTEXT, tokenizer });
      const said = text.conversation.messages.flatMap(({ role, content }, i) => {
        const step = row.trajectory!.transcript.steps[(i - 2) / 2];
        return role === 'assistant' && step?.turn.author === 'expert' ? [`${content}<|im_end|>`] : [];
      });
      const ids = (lines[0]?.input_ids ?? []) as number[];
      const labels = (lines[0]?.labels ?? []) as number[];
      expect(labels.every((label, i) => label === -100 || label === ids[i])).toBe(true);
      expect(stretches(labels).map((stretch) => tokenizer.decode(stretch))).toEqual(said);
      if (said.length > 0) {
        const whole = text.conversation.messages.map((m) => `<|im_start|>${m.role}\n${m.content ?? ''}<|im_end|>\n`);
        expect(ids).toEqual(tokenizer.encode(whole.join('')));
      }
    }),
    { numRuns: EXAMPLES },
  );
});

function stretches(labels: number[]): number[][] {
  const found: number[][] = [];
  labels.forEach((label, i) => {
    if (label === -100) return;
    if (labels[i - 1] === -100 || i === 0) found.push([]);
    found.at(-1)!.push(label);
  });
  return found;
}

function withCallsAsText(row: DatasetRow): DatasetRow {
  const { turns, marks } = row.conversation;
  const messages = row.conversation.messages.map((message): ChatMessage => {
    if (message.role === 'tool') return { role: 'user', content: message.content };
    if (message.role !== 'assistant') return message;
    return { role: message.role, content: `${message.content ?? ''}${JSON.stringify(message.tool_calls)}` };
  });
  return { ...row, conversation: { messages, turns, marks } };
}
