import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config } from '../../../src/config';
import type { ExperienceUnit } from '../../../src/contract';
import { startRehearsal } from '../../../src/model/rehearsal/server';
import { cosine, exportUnits } from '../../../src/setup/experience';
import { experienceOf, shipExperience } from '../../../src/store/experience';
import { profileEmbedder } from '../../../src/store/experience/embedder';
import type { ExperienceStore } from '../../../src/store/experience/experience';
import { runCli } from '../../cli/run-cli';
import { PG_CONFIG } from './support/units';

let home: string;
let store: ExperienceStore;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'experience-home-'));
  store = experienceOf({ config: Config.parse({}), home }, {});
});
afterAll(async () => {
  await store.close();
  rmSync(home, { recursive: true, force: true });
});

test('the shipped units come in once per content of their file', async () => {
  expect(await shipExperience(store)).toMatchObject({ changed: true });
  expect(await shipExperience(store)).toEqual({ changed: false, units: 0 });
  expect((await store.stats()).shipped).toBeGreaterThanOrEqual(60);
});

test('the command line works on the same store while this process has it open', async () => {
  const cli = async (...args: string[]) => {
    const ran = await runCli(['experience', ...args], { env: { POINTSMAN_HOME: home } });
    return { ...ran, json: args.includes('--json') ? JSON.parse(ran.stdout) : undefined };
  };
  await store.import([PG_CONFIG]);
  const file = join(home, 'units.jsonl');
  const odd: ExperienceUnit = { ...PG_CONFIG, id: 'from-file' };
  writeFileSync(
    file,
    `${exportUnits([odd])}not json\n${JSON.stringify({ id: 'drifted', signals: {}, advice_nl: 'one text' })}\n`,
  );
  const imported = await cli('import', file, '--json');
  expect(imported.code).toBe(1);
  expect(imported.json).toMatchObject({ inserted: 2, known: 0, repaired: [{ line: 3 }], quarantined: [{ line: 2 }] });
  expect((await store.show('from-file')).unit).toMatchObject({ id: 'from-file', advice_nl: PG_CONFIG.advice_nl });

  const shown = await cli('show', 'from-file', '--json');
  expect(shown.json.unit.id).toBe('from-file');
  expect((await cli('export', join(home, 'out.jsonl'), '--json')).json.units).toBe((await store.list()).length);
  expect((await cli('forget', 'from-file')).code).toBe(0);
  expect((await cli('show', 'from-file', '--json')).json.error.code).toBe('NotFound');
  const listed = await cli('list', '--words', 'psycopg2');
  expect(listed.stdout).toContain('pg-config');
}, 180_000);

test('a bad file of shipped units is named with its line', async () => {
  const file = join(home, 'bad.jsonl');
  writeFileSync(file, `${exportUnits([PG_CONFIG])}{"id": "x"}\n`);
  await expect(shipExperience(store, file)).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.stringContaining('bad.jsonl:2'),
  });
});

test('the URL of a Postgres is never configured, only the name of its variable, which has to be set', async () => {
  expect(() => Config.parse({ store: { experience: 'postgresql://u:secret@host/db' } })).toThrow();
  const unset = experienceOf({ config: Config.parse({ store: { experience: 'EXPERIENCE_URL' } }), home }, {});
  await expect(unset.stats()).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.stringContaining('EXPERIENCE_URL'),
  });
  const env = { EXPERIENCE_URL: 'postgresql://u:secret@127.0.0.1:1/db' };
  const down = experienceOf({ config: Config.parse({ store: { experience: 'EXPERIENCE_URL' } }), home }, env);
  const error = await down.stats().catch((failure: Error) => failure);
  expect(error).toMatchObject({ code: 'Unavailable' });
  expect(JSON.stringify([error, (error as Error).message])).not.toContain('secret');
});

test('a model profile makes the vectors through its /embeddings', async () => {
  const rehearsal = await startRehearsal({ script: { models: {} } as never });
  try {
    const config = Config.parse({
      profiles: { vectors: { provider: 'rehearsal', baseUrl: rehearsal.url, model: 'small' } },
      store: { embeddings: 'vectors' },
    });
    const embedder = profileEmbedder(config, 'vectors', {});
    const texts = Array.from({ length: 70 }, (_, at) => `text number ${at}`);
    const vectors = await embedder.embed([...texts, 'text number 0']);
    expect(vectors).toHaveLength(71);
    expect(cosine(vectors[0]!, vectors[70]!)).toBeCloseTo(1);
    expect(cosine(vectors[0]!, vectors[1]!)).toBeLessThan(0.99);
    expect(embedder.name).toBe('profile:vectors/small');
  } finally {
    await rehearsal.close();
  }
});
