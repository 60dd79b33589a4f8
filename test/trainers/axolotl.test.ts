import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { tokenize } from '../../src/dataset/tokens';
import { anyRow, CONTEXT, isOfThisUnicode } from '../dataset/any-row';
import { writeFormat } from './files';
import { pythonWith, testWith } from './python';
import { trainedTokenizer } from './tokenizer';

const folder = mkdtempSync(join(tmpdir(), 'pointsman-axolotl-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

testWith(pythonWith('trainers'))('axolotl trains the tokens that our mask names, and no others', async (python) => {
  const rows = (['tools', 'xml'] as const)
    .flatMap((dialect) => fc.sample(anyRow({ dialect }), { numRuns: 80, seed: 23 }))
    .filter(isOfThisUnicode)
    .filter(({ conversation }) => conversation.turns.some((turn) => turn.trained));
  const { folder: files, tokenizer } = await trainedTokenizer(python, rows, folder);
  const { jsonl } = await writeFormat(folder, 'axolotl', rows, CONTEXT);
  const theirs = python.run('axolotl_labels.py', files, jsonl);
  expect(theirs).toEqual(
    rows.map((row) => {
      const { ids, labels } = tokenize(row.conversation, tokenizer);
      return { ids, labels };
    }),
  );
});
