import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { EXPORTERS } from '../../src/dataset/exporters';
import { anyRow, CONTEXT } from '../dataset/any-row';
import { writeFormat } from './files';
import { pythonWith, testWith } from './python';
import { trainedTokenizer } from './tokenizer';

const folder = mkdtempSync(join(tmpdir(), 'pointsman-llamafactory-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

testWith(pythonWith('trainers'))(
  'LLaMA-Factory trains the last turn of each record, and skips none',
  async (python) => {
    const rows = (['tools', 'xml', 'backticks'] as const)
      .flatMap((dialect) => fc.sample(anyRow({ dialect }), { numRuns: 25, seed: 29 }))
      .filter(({ conversation }) => conversation.turns.some((turn) => turn.trained));
    const { folder: files } = await trainedTokenizer(python, rows, folder);
    const { jsonl, records } = await writeFormat(folder, 'sharegpt-turns', rows, CONTEXT);
    const exporter = EXPORTERS['sharegpt-turns'];
    const last = rows.flatMap((row) =>
      exporter.layout === 'lines'
        ? exporter
            .export(row, CONTEXT)
            .records.map((record) => (record.conversations as { value: string }[]).at(-1)!.value)
        : [],
    );
    const { texts, skipped } = python.run('llamafactory_labels.py', files, jsonl) as {
      texts: string[];
      skipped: number;
    };
    expect(skipped).toBe(0);
    expect(texts.length).toBe(records);
    expect(texts).toEqual(last.map((value) => `${value}<|im_end|>\n`));
  },
);
