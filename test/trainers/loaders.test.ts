import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { DatasetFormat } from '../../src/contract/names';
import { createChatTokenizer } from '../../src/dataset/chat-tokenizer';
import { EXPORTERS } from '../../src/dataset/exporters';
import { plainMessage } from '../../src/dataset/exporters/messages';
import { jsonLine } from '../../src/dataset/parquet';
import { readTokenizerFolder } from '../../src/store/tokenizer-files';
import { anyRow, CONTEXT, isOfThisUnicode } from '../dataset/any-row';
import { byteTokenizer, CHATML, CHATML_TOOLS } from '../dataset/byte-tokenizer';
import { writeFormat } from './files';
import { pythonWith, testWith } from './python';
import { trainedTokenizer } from './tokenizer';

const testWithLoaders = testWith(pythonWith('loaders'));
const folder = mkdtempSync(join(tmpdir(), 'pointsman-loaders-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FORMATS = (Object.keys(EXPORTERS) as DatasetFormat[]).filter((format) => EXPORTERS[format].layout === 'lines');

testWithLoaders('datasets and pyarrow read every row of JSONL and Parquet as it is', async (python) => {
  const context = {
    ...CONTEXT,
    tokenizer: await createChatTokenizer(byteTokenizer('look look', 5, undefined, CHATML_TOOLS)),
  };
  const rows = (['tools', 'xml'] as const).flatMap((dialect) =>
    fc.sample(anyRow({ dialect }), { numRuns: 40, seed: 11 }).map((row, i) => ({ row, path: dialect, i })),
  );
  const paths: string[] = [];
  for (const format of FORMATS) {
    for (const dialect of ['tools', 'xml'] as const) {
      const of = rows.filter(({ path }) => path === dialect).map(({ row }) => row);
      const { jsonl, parquet } = await writeFormat(join(folder, dialect), format, of, context);
      paths.push(jsonl, parquet);
    }
  }
  const { rows: read, problems } = python.run('read_rows.py', ...paths) as { rows: number; problems: object };
  expect(problems).toEqual({});
  expect(read).toBeGreaterThan(600);
});

testWithLoaders('ids are those that transformers gives for the same conversation', async (python) => {
  const rows = (['tools', 'xml'] as const).flatMap((dialect) =>
    fc.sample(anyRow({ dialect }).filter(isOfThisUnicode), { numRuns: 100, seed: 13 }),
  );
  const trained = await trainedTokenizer(python, rows, folder);
  const jsonl = join(folder, 'conversations.jsonl');
  const lines = rows.map(({ conversation: { messages, tools } }) =>
    jsonLine({ messages: messages.map(plainMessage), tools: JSON.stringify(tools ?? []) }),
  );
  writeFileSync(jsonl, lines.join(''));
  const theirs = python.run('chat_ids.py', trained.folder, jsonl) as number[][];
  const ours = rows.map(({ conversation: { messages, tools } }) =>
    trained.tokenizer.encode(trained.tokenizer.render(messages, tools)),
  );
  expect(theirs.length).toBe(200);
  expect(ours).toEqual(theirs);
});

testWithLoaders(
  'templates by name are those that transformers takes, in the configuration and in files of their own',
  async (python) => {
    const rows = (['tools', 'xml'] as const).flatMap((dialect) =>
      fc.sample(anyRow({ dialect }).filter(isOfThisUnicode), { numRuns: 20, seed: 37 }),
    );
    const jsonl = join(folder, 'named.jsonl');
    const lines = rows.map(({ conversation: { messages, tools } }) =>
      jsonLine({ messages: messages.map(plainMessage), tools: JSON.stringify(tools ?? []) }),
    );
    writeFileSync(jsonl, lines.join(''));
    const { tokenizer, config } = byteTokenizer('look look', 5);
    const named = [
      { name: 'default', template: CHATML },
      { name: 'tool_use', template: CHATML_TOOLS },
    ];
    for (const how of ['configuration', 'files'] as const) {
      const at = join(folder, how);
      mkdirSync(join(at, 'additional_chat_templates'), { recursive: true });
      writeFileSync(join(at, 'tokenizer.json'), JSON.stringify(tokenizer));
      const { chat_template: _, ...rest } = config as Record<string, unknown>;
      const own = how === 'configuration' ? { chat_template: named } : {};
      writeFileSync(join(at, 'tokenizer_config.json'), JSON.stringify({ ...rest, ...own }));
      if (how === 'files') {
        writeFileSync(join(at, 'chat_template.jinja'), CHATML);
        writeFileSync(join(at, 'additional_chat_templates', 'tool_use.jinja'), CHATML_TOOLS);
      }
      const ours = await createChatTokenizer(await readTokenizerFolder(at));
      const ids = rows.map(({ conversation: { messages, tools } }) => ours.encode(ours.render(messages, tools)));
      expect(ids).toEqual(python.run('chat_ids.py', at, jsonl));
    }
  },
);

testWithLoaders('the types of the openai package take every message and tool of the strict format', async (python) => {
  const rows = (['tools', 'xml'] as const).flatMap((dialect) =>
    fc.sample(anyRow({ dialect, train: ['student', 'expert'] }), { numRuns: 50, seed: 19 }),
  );
  const { jsonl } = await writeFormat(join(folder, 'openai'), 'openai', rows, CONTEXT);
  const counts = python.run('openai_types.py', jsonl) as { messages: number; tools: number };
  expect(counts.messages).toBe(rows.reduce((sum, { conversation }) => sum + conversation.messages.length, 0));
  expect(counts.tools).toBe(50 * 3);
});

testWithLoaders('Harbor’s own model takes every ATIF document', async (python) => {
  const rows = fc.sample(anyRow(), { numRuns: 100, seed: 31 });
  const { jsonl } = await writeFormat(join(folder, 'atif'), 'atif', rows, CONTEXT);
  expect(python.run('atif_documents.py', jsonl)).toEqual({
    documents: 100,
    steps: rows.reduce((sum, { conversation }) => sum + 2 + conversation.turns.length, 0),
  });
});
