import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { createChatTokenizer, TemplateFailed } from '../../src/dataset/chat-tokenizer';
import { plainMessage } from '../../src/dataset/exporters/messages';
import { tokenize } from '../../src/dataset/tokens';
import { anyRow, CONTEXT, isOfThisUnicode, runOf } from '../dataset/any-row';
import { byteTokenizer } from '../dataset/byte-tokenizer';
import { writeFormat } from './files';
import { pythonWith, testWith } from './python';
import { trainedTokenizer } from './tokenizer';

interface Batch {
  readonly ids: number[];
  readonly labels: number[];
}

const folder = mkdtempSync(join(tmpdir(), 'pointsman-trl-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

testWith(pythonWith('trainers'))('TRL trains the tokens that our mask names, and no others', async (python) => {
  const rows = (['tools', 'xml'] as const)
    .flatMap((dialect) =>
      fc
        .sample(anyRow({ dialect }), { numRuns: 80, seed: 17 })
        .filter(isOfThisUnicode)
        .map((row) => ({ row, dialect })),
    )
    .map(({ row, dialect }, i) => ({
      ...row,
      id: `${dialect}-${i}`,
      metadata: { ...row.metadata, rollout_id: `${i}` },
    }))
    .filter(({ conversation }) => conversation.turns.some((turn) => turn.trained));
  const { folder: files, tokenizer } = await trainedTokenizer(python, rows, folder);
  const context = { ...CONTEXT, tokenizer };
  const completions = await writeFormat(folder, 'trl', rows, context);
  const tokens = await writeFormat(folder, 'tokens', rows, context);
  const theirs = python.run('trl_labels.py', files, completions.jsonl, tokens.jsonl) as {
    completions: Batch[];
    tokens: Batch[];
  };
  const ours = rows.map((row) => tokenize(row.conversation, tokenizer));

  expect(theirs.tokens).toEqual(ours.map(({ ids, labels }) => ({ ids, labels })));

  // A row is several records, each the beginning of the whole: together they train what one sequence would.
  expect(theirs.completions.length).toBe(completions.records);
  const records = [...theirs.completions];
  for (const [i, row] of rows.entries()) {
    const { ids, labels } = ours[i]!;
    const trained = new Array<number>(ids.length).fill(-100);
    for (let left = runsOf(row.conversation.turns.map((turn) => turn.trained)); left > 0; left -= 1) {
      const record = records.shift()!;
      expect(record.ids).toEqual(ids.slice(0, record.ids.length));
      record.labels.forEach((label, at) => {
        if (label === -100) return;
        expect(trained[at]).toBe(-100);
        trained[at] = label;
      });
    }
    expect(trained).toEqual(labels);
  }
  expect(records).toEqual([]);
});

testWith(pythonWith('trainers'))('templates that TRL ships are rendered as transformers does', async (python) => {
  const templates = python.run('render_templates.py') as Record<string, string>;
  const { messages, tools } = runOf(['expert', 'student', 'expert'], { dialect: 'tools' }).conversation;
  const { tokenizer, config } = byteTokenizer('look look', 0);
  const given: object[] = [];
  const ours: (string | null)[] = [];
  for (const [name, text] of Object.entries(templates)) {
    // Each day another text.
    if (text.includes('strftime_now')) continue;
    const special = { ...config, chat_template: text, bos_token: '<bos>', eos_token: '<eos>' };
    const chat = await createChatTokenizer({ tokenizer, config: special });
    const plain = messages.map(plainMessage);
    given.push({ template: name, messages: plain, tools, arguments: chat.argumentsAs });
    try {
      ours.push(chat.render(messages, tools));
    } catch (error) {
      if (!(error instanceof TemplateFailed)) throw error;
      ours.push(null);
    }
  }
  const path = join(folder, 'templates.json');
  writeFileSync(path, JSON.stringify(given));
  const theirs = python.run('render_templates.py', path) as (string | null)[];
  // Templates that want content in parts are refused here; in Python they go through a text letter by letter.
  const rendered = ours.flatMap((text, i) => (text === null ? [] : [[text, theirs[i]]]));
  expect(rendered.length).toBeGreaterThan(40);
  expect(rendered.map(([text]) => text)).toEqual(rendered.map(([, text]) => text));
});

function runsOf(trained: readonly boolean[]): number {
  return trained.filter((is, i) => is && !trained[i - 1]).length;
}
