import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config } from '../../src/config';
import { importPeer } from '../../src/setup/experience';
import { experienceOf, shipExperience } from '../../src/store/experience';
import type { ExperienceStore } from '../../src/store/experience/experience';
import { draftLike, PG_CONFIG, unitLike } from '../store/experience/support/units';
import { runCli } from './run-cli';

/** A drifted row of the peer: too many keywords, an atom that is none of ours, fields that nobody here knows. */
const ROW = {
  id: 'peer-row',
  signals: {
    keywords: Array.from({ length: 50 }, (_, at) => `word-${at}`),
    regex: ['No module named .foo.', '('],
    situation_triggers: ['foo is missing', { when: 'always' }],
    applicability: { lang: 'python', os: ['linux'], python: ['3.10'], tools: ['pip'] },
  },
  advice_nl: ['Install foo.'],
  atoms: [
    { name: 'poetry_install', args: {} },
    { name: 'pip_install', args: { packages: ['foo'] } },
  ],
  telemetry: { hits: 3, successes: 2, failures: 1 },
  source: 'elsewhere',
};

let home: string;
let store: ExperienceStore;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'cli-experience-'));
  // The store stays open, as a worker's does: the command line works beside it.
  store = experienceOf({ config: Config.parse({}), home }, {});
  await shipExperience(store);
});
afterAll(async () => {
  await store?.close();
  rmSync(home, { recursive: true, force: true });
});

const cli = (...args: string[]) => runCli(['experience', ...args], { env: { POINTSMAN_HOME: home } });

test('stats counts units, hits and verdicts, and says where they are kept', async () => {
  const before = await store.stats();
  await store.import([PG_CONFIG]);
  const { unit } = await store.learn(draftLike('r1'), async () => {
    throw new Error('nobody is to be asked');
  });
  for (const run of ['r2', 'r3'])
    await store.anchor({ run, anchor: 'a', units: ['pg-config', unit], repository: 'pypi:first==2.0' });
  await store.audit({
    ...{ run: 'r2', anchor: 'a' },
    verdicts: [
      { unit: 'pg-config', verdict: 'success', why: '' },
      { unit, verdict: 'failure', why: '' },
    ],
  });
  const { code, stdout } = await cli('stats', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    ...{ units: before.units + 2, active: before.active + 1, quarantined: 1, shipped: before.shipped },
    ...{ hits: 4, successes: 1, failures: 1, runs: 2 },
    ...{ database: before.database, vectors: before.vectors, embedding: before.embedding },
  });
  const { stdout: told } = await cli('stats');
  expect(told).toBe(
    [
      `${before.units + 2} units: ${before.active + 1} active, 1 quarantined; ${before.shipped} came with the package`,
      'shown to 2 runs (4 hits); 1 successes, 1 failures',
      `database: ${before.database}, vectors: ${before.vectors}, embedding: ${before.embedding}`,
      '',
    ].join('\n'),
  );
});

test('export --xpu gives back what import read, unknown fields and other runtimes among it', async () => {
  const file = join(home, 'xpu.jsonl');
  writeFileSync(file, `${JSON.stringify(ROW)}\n`);
  const imported = await cli('import', file, '--json');
  expect(imported.code).toBe(0);
  const [repaired] = JSON.parse(imported.stdout).repaired;
  expect(repaired).toMatchObject({ line: 1, unit: 'peer-row' });
  expect(repaired.repairs.join('; ')).toMatch(/keywords_more.*word-40/);
  await store.import([unitLike('for-node', {}, { applicability: { lang: 'node', runtime: ['node18'] } })]);

  const out = join(home, 'out.jsonl');
  const exported = await cli('export', '--xpu', out);
  const all = await store.list();
  expect([exported.code, exported.stdout]).toEqual([0, `${out}: ${all.length} units\n`]);
  const text = readFileSync(out, 'utf8');
  const rows = new Map(
    text
      .trimEnd()
      .split('\n')
      .map((line) => [JSON.parse(line).id, JSON.parse(line)]),
  );
  expect([...rows.keys()].sort()).toEqual(all.map(({ id }) => id).sort());
  const { atoms, ...rest } = rows.get('peer-row');
  const { atoms: had, ...others } = ROW;
  expect(rest).toEqual(others);
  expect(atoms).toEqual(expect.arrayContaining(had));
  expect(rows.get('for-node').signals.applicability).toMatchObject({ lang: 'node', runtime: ['node18'] });

  // Without a file it is the answer itself, and what it says can be read again.
  const { stdout } = await cli('export', '--xpu');
  expect(stdout).toBe(text);
  expect(importPeer(stdout).quarantined).toEqual([]);
});
