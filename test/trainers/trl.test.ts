import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { tokenize } from '../../src/dataset/tokens';
import { anyRow, CONTEXT, isOfThisUnicode } from '../dataset/any-row';
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

function runsOf(trained: readonly boolean[]): number {
  return trained.filter((is, i) => is && !trained[i - 1]).length;
}
