import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { DatasetFormat, DatasetInput, View } from '../../src/contract';
import type { CardAbout } from '../../src/dataset/card';
import { cardOf } from '../../src/dataset/card';
import { EXPORTERS } from '../../src/dataset/exporters';
import { funnelsOf } from '../../src/dataset/funnel';
import { repetitionRates } from '../../src/dataset/rates';
import { axolotlRecipe } from '../../src/dataset/recipes/axolotl';
import { trlRecipe } from '../../src/dataset/recipes/trl';

const HOSTILE = 'oec|<b>\n# Not a heading\u202e`x`';

function about(more: Partial<CardAbout> = {}): CardAbout {
  const funnels = funnelsOf([], new Map());
  return {
    input: DatasetInput.parse({
      name: 'cards',
      sources: [{ campaign: 'c' }],
      formats: [...DatasetFormat.options],
      train: { [HOSTILE]: ['student'] },
    }),
    view: View.parse({ dialect: 'xml', history: { kind: 'last_n_observations', n: 5 } }),
    madeBy: 'pointsman 0.0.0',
    tokenizer: null,
    rows: { train: 3, validation: 1 },
    instances: 2,
    figures: {
      rows: 4,
      turns: 9,
      trainedTurns: 5,
      tokens: 700,
      funnels,
      survival: [],
      repetition: repetitionRates(funnels),
      mixture: [{ name: HOSTILE, rows: 4 }],
    },
    licences: [
      { licence: 'MIT', rows: 2 },
      { licence: 'GPL-3.0-or-later', rows: 1 },
      { licence: '', rows: 1 },
    ],
    profiles: [{ name: 'student', author: 'student', model: 'small', scripted: false, price: { input: 1, output: 2 } }],
    costs: [{ method: HOSTILE, rollouts: 9, usd: 1.5, tokens: 10 }],
    files: (['train', 'validation'] as const).flatMap((split) =>
      (['jsonl', 'parquet'] as const).map((type) => ({
        path: `${split}.universal.${type}`,
        format: 'universal' as const,
        split,
        rows: 3,
        sha256: 'a'.repeat(64),
        bytes: 10,
        left: [],
      })),
    ),
    ...more,
  };
}

test('the front matter is what Hugging Face reads: each split with its file, licences by their names there', () => {
  const [, front] = cardOf(about()).split('---\n');
  expect(parse(front!)).toMatchObject({
    pretty_name: 'cards',
    license: ['gpl-3.0', 'mit', 'unknown'],
    size_categories: ['n<1K'],
    configs: [
      {
        config_name: 'universal',
        default: true,
        data_files: [
          { split: 'train', path: 'train.universal.parquet' },
          { split: 'validation', path: 'validation.universal.parquet' },
        ],
      },
    ],
  });
});

test('names from elsewhere stay in their cells', () => {
  const card = cardOf(about());
  expect(card).not.toMatch(/^# Not a heading/m);
  expect(card).not.toContain('\u202e');
  const [outside, fenced] = card.split('```json\n');
  expect(outside).not.toContain('<b>');
  expect(JSON.parse(fenced!.split('```')[0]!)).toEqual(about().input);
  // Each row of a table has as many cells as its title.
  const tables = card.split('\n\n').filter((part) => part.startsWith('| '));
  for (const rows of tables.map((part) => part.split('\n'))) {
    const cells = rows.map((row) => row.replaceAll('\\|', '').split('|').length);
    expect(new Set(cells).size).toBe(1);
  }
});

test('every format says how it is read, and those whose trainers do not see the mask are warned of', () => {
  const card = cardOf(about());
  for (const format of DatasetFormat.options) expect(card).toContain(`| \`${format}\` |`);
  const warning = card.split('\n').find((line) => line.startsWith('> **Warning.**')) ?? '';
  const blind = DatasetFormat.options.filter((format) => EXPORTERS[format].mask === 'ignored');
  expect(DatasetFormat.options.filter((format) => warning.includes(`\`${format}\``))).toEqual(blind);
});

test('filters that are off are said to be, and so is a data set without rows', () => {
  const filters = { resolved: false, submitted: false, identicalActions: 0, fileReads: 0 };
  const input = DatasetInput.parse({ name: 'off', sources: [{ campaign: 'c' }], filters, deduplicate: false });
  const card = cardOf(about({ input, rows: { train: 0, validation: 0 } }));
  expect(card.match(/\*\*off\*\*/g)).toHaveLength(4);
  expect(card).toContain('The filter was off');
  expect(card).toContain('**Empty.**');
});

describe('recipes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pointsman-recipes-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const files = {
    name: 'cards',
    train: '../train.trl.parquet',
    validation: '../validation.trl.parquet',
    maxTokens: 32_768,
    seed: 7,
  };

  test("axolotl's has the paper's hyper-parameters and the mask's field", () => {
    const axolotl = { ...files, train: '../train.axolotl.jsonl', validation: null };
    expect(parse(axolotlRecipe(axolotl))).toMatchObject({
      sequence_len: 32_768,
      num_epochs: 3,
      learning_rate: 5e-5,
      lr_scheduler: 'cosine',
      warmup_steps: 5,
      adam_beta1: 0.9,
      adam_beta2: 0.999,
      max_grad_norm: 1,
      micro_batch_size: 1,
      gradient_accumulation_steps: 64,
      datasets: [
        { path: '../train.axolotl.jsonl', type: 'chat_template', message_field_training: 'train', roles_to_train: [] },
      ],
    });
    expect(parse(axolotlRecipe({ ...axolotl, validation: '../validation.axolotl.jsonl' }))).toMatchObject({
      test_datasets: [{ path: '../validation.axolotl.jsonl', message_field_training: 'train' }],
    });
  });

  test.each([files, { ...files, train: '../train.trl.jsonl', validation: null }])(
    "TRL's is Python that compiles: %j",
    (given) => {
      const path = join(folder, 'sft_trl.py');
      writeFileSync(path, trlRecipe(given));
      const { status, stderr } = spawnSync('python3', ['-m', 'py_compile', path], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
    },
  );
});
