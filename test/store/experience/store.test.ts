import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExperienceDraft, ExperienceUnit, Judgement } from '../../../src/contract';
import { embedNgrams, sameCauseSameFix } from '../../../src/setup/experience';
import { statement } from '../../../src/store/database';
import { openEmbedded } from '../../../src/store/experience/embedded';
import { BUILTIN_EMBEDDER } from '../../../src/store/experience/embedder';
import { type ExperiencePlace, SqlExperience } from '../../../src/store/experience/sql';
import { debianPostgres, type RunningPostgres, vectorPostgres } from '../../support/postgres';
import { draftLike, FACTS, PEP_668, PG_CONFIG, PG_SITUATION, unitLike } from './support/units';

/** Where each test's database is; the same tests run on all of them. */
interface Backend {
  place(test: string): Promise<ExperiencePlace>;
  stop(): Promise<void>;
}

const onPostgres = (start: () => Promise<RunningPostgres>) => async (): Promise<Backend> => {
  const server = await start();
  return {
    place: async (test) => ({ url: await server.database(test), embed: BUILTIN_EMBEDDER }),
    stop: () => server.stop(),
  };
};

/** Making a database takes seconds, so the tests share one; it is ours, and their stores reach it over its socket. */
async function embedded(): Promise<Backend> {
  const folder = mkdtempSync(join(tmpdir(), 'experience-test-'));
  const owner = openEmbedded(folder);
  return {
    async place() {
      await owner.run([statement('drop schema if exists experience cascade')]);
      return { folder, embed: BUILTIN_EMBEDDER };
    },
    async stop() {
      await owner.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const judgeByRules = async (draft: ExperienceDraft, nearest: ExperienceUnit): Promise<Judgement> => ({
  nearest: nearest.id,
  version: nearest.version ?? 1,
  ...sameCauseSameFix(draft, nearest),
});
const never = async (): Promise<never> => {
  throw new Error('nobody is to be asked');
};

describe.each([
  ['embedded', 'pgvector', embedded],
  ["Debian's Postgres", 'real[]', onPostgres(debianPostgres)],
  ['Postgres with pgvector', 'pgvector', onPostgres(vectorPostgres)],
] as const)('%s', (_name, vectors, start) => {
  let backend: Backend;
  let place: ExperiencePlace;
  let store: SqlExperience;
  let number = 0;
  beforeAll(async () => {
    backend = await start();
  }, 300_000);
  afterAll(() => backend?.stop());
  beforeEach(async () => {
    place = await backend.place(`t${++number}`);
    store = await SqlExperience.open(place);
  });
  afterEach(() => store.close());

  test('finds by signal, by vector and by text what applies, and nothing that was excluded', async () => {
    const vector = unitLike('by-vector', {
      advice_nl: ['Error: pg_config executable not found, in pip install of a Python project that needs psycopg2.'],
    });
    const text = unitLike('by-text', {
      advice_nl: [
        `${'Much about other things that fill a note and have no bearing on it at all. '.repeat(4)} pg_config`,
      ],
    });
    const go = unitLike('go', {}, { regex: ['pg_config executable not found'], applicability: { lang: 'go' } });
    await store.import([PG_CONFIG, PEP_668, vector, text, go]);
    const found = await store.find(PG_SITUATION, FACTS);
    const how = Object.fromEntries(found.map(({ unit, matched }) => [unit, matched]));
    expect(
      found
        .slice(0, 2)
        .map(({ unit }) => unit)
        .sort(),
    ).toEqual(['by-vector', 'pg-config']);
    expect(how['pg-config']).toContain('regex:pg_config executable not found');
    expect(how['by-vector']).toContain('vector');
    expect(how['by-text']).toEqual(['text']);
    expect(Object.keys(how)).not.toContain('go');
    expect(Object.keys(how)).not.toContain('pep-668');
    const others = await store.find(PG_SITUATION, FACTS, { exclude: ['pg-config'], limit: 1 });
    expect(others.map(({ unit }) => unit)).toEqual(['by-vector']);
    expect((await store.stats()).vectors).toBe(vectors);
  });

  test('B6: an empty store knows nothing: no unit comes from anywhere else', async () => {
    expect(await store.find(PG_SITUATION, FACTS)).toEqual([]);
    expect(await store.stats()).toMatchObject({ units: 0, hits: 0 });
  });

  test('ten near units for another language hide nothing', async () => {
    const others = Array.from({ length: 15 }, (_, at) =>
      unitLike(
        `go-${at}`,
        { advice_nl: ['pg_config is required to build psycopg2'] },
        { applicability: { lang: 'go' } },
      ),
    );
    await store.import([...others, unitLike('mine', { advice_nl: ['pg_config is required to build psycopg2'] })]);
    expect((await store.find(PG_SITUATION, FACTS)).map(({ unit }) => unit)).toEqual(['mine']);
  });

  test('B8: hits count once a run, however often it is shown, and change nothing about the rank', async () => {
    await store.import([PG_CONFIG]);
    const [before] = await store.find(PG_SITUATION, FACTS);
    for (const anchor of ['a', 'b', 'b']) await store.anchor({ run: 'r1', anchor, units: ['pg-config', 'unknown'] });
    await store.anchor({ run: 'r2', anchor: 'a', units: ['pg-config'] });
    expect((await store.show('pg-config')).unit.telemetry.hits).toBe(2);
    const [after] = await store.find(PG_SITUATION, FACTS);
    expect(after!.score).toBe(before!.score);
  });

  test('B7: a verdict about what was not recommended is refused, and the others stand', async () => {
    await store.import([PG_CONFIG, PEP_668]);
    await store.anchor({ run: 'r', anchor: 'a', units: ['pg-config'] });
    const audited = await store.audit({
      run: 'r',
      anchor: 'a',
      verdicts: [
        { unit: 'pep-668', verdict: 'failure', why: 'invented' },
        { unit: 'pg-config', verdict: 'success', why: 'it worked' },
      ],
    });
    expect(audited).toEqual({
      booked: ['pg-config'],
      repeated: [],
      refused: [{ unit: 'pep-668', why: 'was not recommended' }],
    });
    expect((await store.show('pep-668')).unit.telemetry).toEqual({ hits: 0, successes: 0, failures: 0 });
    expect((await store.show('pg-config')).unit.telemetry).toEqual({ hits: 1, successes: 1, failures: 0 });
  });

  test('the same audit ten times at once counts once', async () => {
    await store.import([PG_CONFIG]);
    await store.anchor({ run: 'r', anchor: 'a', units: ['pg-config'] });
    const other = await SqlExperience.open(place);
    const audit = (at: number) =>
      (at % 2 ? other : store).audit({
        run: 'r',
        anchor: 'a',
        verdicts: [{ unit: 'pg-config', verdict: 'failure', why: '' }],
      });
    const audited = await Promise.all(Array.from({ length: 10 }, (_, at) => audit(at)));
    await other.close();
    expect(audited.flatMap(({ booked }) => booked)).toEqual(['pg-config']);
    expect(audited.flatMap(({ repeated }) => repeated)).toHaveLength(9);
    expect((await store.show('pg-config')).unit.telemetry.failures).toBe(1);
  });

  test('two stores that learn the same at once make one unit', async () => {
    const other = await SqlExperience.open(place);
    const learned = await Promise.all(
      ['r1', 'r2', 'r3', 'r4'].map((run, at) => (at % 2 ? other : store).learn(draftLike(run), judgeByRules)),
    );
    await other.close();
    expect(learned.map(({ outcome }) => outcome).sort()).toEqual(['duplicate', 'duplicate', 'duplicate', 'inserted']);
    expect(new Set(learned.map(({ unit }) => unit)).size).toBe(1);
    expect(await store.list()).toHaveLength(1);
  });

  test('learning is done once per run and draft: a repeated call gets the same answer and asks nobody', async () => {
    const first = await store.learn(draftLike('r'), never);
    await store.forget(first.unit);
    expect(await store.learn(draftLike('r'), never)).toEqual(first);
    expect(await store.list()).toEqual([]);
  });

  test('B8: a merge makes a new version: old atoms kept, new ones added, found by what it now says', async () => {
    const { unit: id } = await store.learn(draftLike('r1'), never);
    await store.anchor({ run: 'x', anchor: 'a', units: [id] });
    const more = draftLike(
      'r2',
      { atoms: [{ name: 'apt_install', args: { packages: ['zlib1g-dev'] } }] },
      { keywords: ['libxml/xmlversion.h', 'lxml', 'xmlwhatever_undefined'] },
    );
    const merged = await store.learn(more, async (_, { id: nearest, version = 1 }) => ({
      nearest,
      version,
      same: true,
      why: '',
    }));
    expect(merged).toEqual({ outcome: 'merged', unit: id });
    const { unit, earlier } = await store.show(id);
    expect(unit.version).toBe(2);
    expect(unit.provenance).toMatchObject({ run: 'r1', supersedes: `${id}@1` });
    expect(unit.atoms).toEqual([...draftLike('r1').atoms, ...more.atoms]);
    expect(unit.telemetry.hits).toBe(1);
    expect(earlier.map(({ version }) => version)).toEqual([1]);
    const situation = { error: 'xmlwhatever_undefined', command: null, summary: '' };
    expect((await store.find(situation, FACTS))[0]?.matched).toContain('text');
  });

  test('a unit that could not be read again is not written; one that is there hides no other and is named', async () => {
    const { unit: id } = await store.learn(draftLike('r1'), never);
    const tooLong = async (_: ExperienceDraft, { id: nearest, version = 1 }: ExperienceUnit) => ({
      ...{ nearest, version, same: true, why: '', advice: ['x'.repeat(2_001)] },
    });
    const more = draftLike('r2', { advice_nl: [...draftLike('r').advice_nl, 'Or a wheel.'] });
    await expect(store.learn(more, tooLong)).rejects.toMatchObject({ code: 'InvalidInput' });
    expect(await store.list()).toHaveLength(1);

    const stored = unitLike('unreadable', { ...PG_CONFIG, id: 'unreadable', advice_nl: ['short'] });
    await store.import([PG_CONFIG, { ...stored, advice_nl: ['x'.repeat(2_001)] }]);
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
    expect((await store.list()).map(({ id }) => id).sort()).toEqual(['pg-config', id].sort());
    expect(warned.mock.calls.join()).toContain('unreadable');
    expect((await store.find(PG_SITUATION, FACTS)).map(({ unit }) => unit)).toEqual(['pg-config']);
    const { id: _id, telemetry: _t, status: _s, version: _v, ...draft } = PG_CONFIG;
    expect(await store.attemptLearning(draft)).toMatchObject({ nearest: { id: 'pg-config' } });
    warned.mockRestore();
    expect(await store.import([stored], { replace: true })).toMatchObject({ replaced: 1 });
    expect(await store.list()).toHaveLength(3);
  });

  test('a judgement on a version that is no more is asked for again', async () => {
    const { unit: id } = await store.learn(draftLike('r1'), never);
    const attempt = await store.attemptLearning(
      draftLike('r2', { advice_nl: [...draftLike('r').advice_nl, 'Or a wheel.'] }),
    );
    expect(attempt).toMatchObject({ outcome: 'needs-judgement', nearest: { id, version: 1 } });
    const stale = { nearest: id, version: 1, same: true, why: '' };
    const other = draftLike('r3', { advice_nl: [...draftLike('r').advice_nl, 'Older lxml has no wheels.'] });
    expect(await store.attemptLearning(other, stale)).toMatchObject({ outcome: 'merged' });
    const late = draftLike('r2', { advice_nl: [...draftLike('r').advice_nl, 'Or a wheel.'] });
    expect(await store.attemptLearning(late, stale)).toMatchObject({
      outcome: 'needs-judgement',
      nearest: { version: 2 },
    });
  });

  test('judged different, it is a unit of its own', async () => {
    await store.learn(draftLike('r1'), never);
    const other = draftLike('r2', {
      atoms: [{ name: 'pip_install', args: { name: 'lxml', flags: ['--only-binary=lxml'] } }],
    });
    expect(await store.learn(other, judgeByRules)).toMatchObject({ outcome: 'inserted' });
    expect(await store.list()).toHaveLength(2);
  });

  test('a unit is on probation until it works elsewhere than where it was learned', async () => {
    const { unit } = await store.learn(draftLike('r1'), never);
    const statusAfter = async (run: string, repository: string, verdict: 'success' | 'failure') => {
      await store.anchor({ run, anchor: 'a', units: [unit], repository });
      await store.audit({ run, anchor: 'a', verdicts: [{ unit, verdict, why: '' }] });
      return (await store.show(unit)).unit.status;
    };
    expect(await statusAfter('r2', 'pypi:first==1.0', 'success')).toBe('quarantined');
    expect(await statusAfter('r3', 'pypi:second==1.0', 'failure')).toBe('quarantined');
    expect(await statusAfter('r4', 'pypi:third==1.0', 'success')).toBe('active');
  });

  test.each([
    ['pypi:first==1.0', 'pypi:first==1.1', 'pypi:second==1.0'],
    ['git+https://h/a/b.git@v1', 'git+https://h/a/b@main', 'git+https://h/a/c@v1'],
    ['archive:/srv/first-1.0.tar.gz', 'archive:/srv/first-1.1.zip', 'archive:/srv/second-1.0.tar.gz'],
    ['dir:/srv/first', 'dir:/srv/first/', 'dir:/srv/second'],
  ])('another version of the project where it was learned is not elsewhere: %s', async (learned, again, elsewhere) => {
    const provenance = { run: 'r1', repository: learned, created: '2026-11-22T00:00:00.000Z' };
    const { unit } = await store.learn(draftLike('r1', { provenance }), never);
    for (const [run, repository, status] of [
      ['r2', again, 'quarantined'],
      ['r3', elsewhere, 'active'],
    ] as const) {
      await store.anchor({ run, anchor: 'a', units: [unit], repository });
      await store.audit({ run, anchor: 'a', verdicts: [{ unit, verdict: 'success', why: '' }] });
      expect([repository, (await store.show(unit)).unit.status]).toEqual([repository, status]);
    }
  });

  test('where nothing says which repository it was, another run is elsewhere', async () => {
    const { unit } = await store.learn(draftLike('r1'), never);
    await store.anchor({ run: 'r1', anchor: 'a', units: [unit] });
    await store.audit({ run: 'r1', anchor: 'a', verdicts: [{ unit, verdict: 'success', why: '' }] });
    expect((await store.show(unit)).unit.status).toBe('quarantined');
    await store.anchor({ run: 'r2', anchor: 'a', units: [unit] });
    await store.audit({ run: 'r2', anchor: 'a', verdicts: [{ unit, verdict: 'success', why: '' }] });
    expect((await store.show(unit)).unit.status).toBe('active');
  });

  test('shipped units come once per content, keep their record, and stay away when forgotten', async () => {
    expect(await store.ship([PG_CONFIG, PEP_668], 'one')).toEqual({ changed: true, units: 2 });
    expect(await store.ship([PG_CONFIG, PEP_668], 'one')).toEqual({ changed: false, units: 0 });
    await store.anchor({ run: 'r', anchor: 'a', units: ['pg-config'] });
    await store.forget('pep-668');
    const newer = { ...PG_CONFIG, advice_nl: ['Shorter.'] };
    expect(await store.ship([newer, PEP_668], 'two')).toEqual({ changed: true, units: 1 });
    expect(await store.find(PG_SITUATION, FACTS)).toHaveLength(1);
    expect(await store.find(PG_SITUATION, FACTS, { shipped: false })).toEqual([]);
    const { unit } = await store.show('pg-config');
    expect(unit).toMatchObject({ advice_nl: ['Shorter.'], telemetry: { hits: 1 }, provenance: { shipped: true } });
    expect(await store.list()).toHaveLength(1);
  });

  test('import keeps what is there unless told to replace it; what it cannot store as text becomes storable', async () => {
    const odd = unitLike('odd', { advice_nl: ['a\u0000b\ud800c'], extra: { kept: [1] } });
    expect(await store.import([PG_CONFIG, odd])).toEqual({ inserted: 2, replaced: 0, known: 0 });
    const changed = { ...PG_CONFIG, telemetry: { hits: 9, successes: 3, failures: 1, more: 'x' } };
    expect(await store.import([changed])).toEqual({ inserted: 0, replaced: 0, known: 1 });
    expect((await store.show('pg-config')).unit.telemetry.hits).toBe(0);
    expect(await store.import([changed], { replace: true })).toEqual({ inserted: 0, replaced: 1, known: 0 });
    const { unit, earlier } = await store.show('pg-config');
    expect(unit).toEqual({ ...changed, version: 2 });
    expect(earlier).toMatchObject([{ version: 1, body: { advice_nl: PG_CONFIG.advice_nl } }]);
    // The same once more is no new version.
    await store.import([changed], { replace: true });
    expect((await store.show('pg-config')).unit.version).toBe(2);
    await store.import([{ ...changed, advice_nl: ['Shorter.'], version: 1 }], { replace: true });
    expect((await store.show('pg-config')).earlier.map(({ version }) => version)).toEqual([1, 2]);
    expect((await store.show('odd')).unit).toMatchObject({ advice_nl: ['a\ufffdb\ufffdc'], extra: { kept: [1] } });
  });

  test('with another embedding the vectors are made anew before they are compared', async () => {
    await store.import([PG_CONFIG, PEP_668]);
    const before = await store.find(PG_SITUATION, FACTS);
    const backwards = {
      name: 'test:backwards',
      embed: async (texts: readonly string[]) =>
        texts.map((text) =>
          [...embedNgrams(text)]
            .reverse()
            .slice(0, 100)
            .map((v) => v * 10),
        ),
    };
    const normal = {
      name: 'test:shorter',
      embed: async (texts: readonly string[]) =>
        (await backwards.embed(texts)).map((v) => v.map((x) => x / (Math.hypot(...v) || 1))),
    };
    const other = await SqlExperience.open({ ...place, embed: normal });
    const found = await other.find({ error: 'externally-managed-environment', command: null, summary: '' }, FACTS);
    await other.close();
    expect(found[0]).toMatchObject({ unit: 'pep-668' });
    // And back, by the store that was open all the time.
    expect(before[0]).toMatchObject({ unit: 'pg-config' });
    expect(await store.find(PG_SITUATION, FACTS)).toEqual(before);
    expect(await store.attemptLearning({ ...PG_CONFIG })).toMatchObject({
      outcome: 'needs-judgement',
      nearest: { id: 'pg-config' },
    });
  });
});
