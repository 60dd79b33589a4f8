import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ExperienceUnit } from '../../../src/contract';
import { reliability } from '../../../src/setup/experience/reliability';
import { statement } from '../../../src/store/database';
import { shipExperience } from '../../../src/store/experience';
import { openEmbedded } from '../../../src/store/experience/embedded';
import {
  act,
  activitiesOf,
  folderOf,
  giveUp,
  mendOf,
  projectOf,
  readChain,
  removeFolders,
  setUp,
  shell,
  TESTS,
  telemetryOf,
  unitFor,
  withExperience,
} from '../../support/set-up';
import { World } from '../../support/world';

const answers = (value: object) => [{ raw: JSON.stringify(value) }];
const tries = (unit: string, command?: string) => act('try_experience', { unit, ...(command ? { command } : {}) });
const needsLevel = `test "$CALC_LEVEL" = 3 || { echo "KeyError: 'CALC_LEVEL'" >&2; exit 1; }`;
const lacks = 'python3 -c "import toml"';

const models = {
  without: { turns: [shell(TESTS), shell(TESTS), tries('calc-right'), giveUp()] },
  once: {
    // Three errors that the unit fits; for one that is back, its offer is there as well and nobody is asked again.
    turns: [TESTS, 'cp /opt/calc/mode /tmp', 'wc < /opt/calc/mode', TESTS].map(shell).concat(giveUp()),
  },
  last: { turns: [shell(TESTS), tries('calc-right'), giveUp()] },
  seeming: {
    turns: [
      shell(TESTS),
      tries('calc-export', 'export CALC_MODE=exact'),
      tries('calc-pipe', 'cat /opt/calq/none 2>&1 | head -1 || true'),
      tries('calc-true', 'cp /opt/calq/none /opt/calq/mode || true'),
      shell('echo "[$CALC_MODE]"'),
      giveUp(),
    ],
  },
  lasting: {
    turns: [
      shell(needsLevel),
      tries('calc-level'),
      shell('echo "level $CALC_LEVEL"; touch /opt/file; stat -c %a /opt/file'),
      giveUp(),
    ],
  },
  learner: {
    turns: [
      shell(lacks),
      shell('pip install --break-system-packages --no-cache-dir toml==0.10.2'),
      shell(lacks),
      giveUp(),
    ],
  },
  /** Finds nothing relevant, whatever is offered. */
  picky: { scenes: [{ when: 'You choose notes', turns: answers({ chosen: [] }) }], turns: answers({ drafts: [] }) },
  /** Judges units that nobody showed, and twice the one that was; teaches to leave tests out. */
  inventive: {
    scenes: [
      { when: 'You choose notes', turns: answers({ chosen: [{ unit: 'calc-right', why: 'it fits' }] }) },
      {
        when: 'You write notes for engineers',
        turns: answers({
          units: [
            {
              signals: { keywords: ['KeyError'], regex: [] },
              advice_nl: ['Leave the failing tests out.'],
              atoms: [{ name: 'set_pytest_flag', args: { flag: '--ignore=tests' } }],
            },
          ],
        }),
      },
      {
        when: 'verdict',
        turns: answers({
          verdicts: [
            { unit: 'calc-true', verdict: 'success', why: 'I feel so' },
            { unit: 'calc-right', verdict: 'perhaps', why: 'who knows' },
            { unit: 'calc-right', verdict: 'success', why: 'the tests passed' },
          ],
        }),
      },
    ],
    turns: answers({ drafts: [] }),
  },
};

let world: World;
let source: string;
beforeAll(async () => {
  source = `dir:${folderOf(projectOf('calc'))}`;
  world = await World.start({
    script: { models },
    profiles: Object.fromEntries(Object.keys(models).map((n) => [n, {}])),
  });
});
afterAll(async () => {
  await world?.close();
  removeFolders();
});

/** Every row of every table of the memory that a world's workers use. */
async function memoryOf({ home }: World): Promise<Record<string, string[]>> {
  const database = openEmbedded(join(home, 'experience'));
  try {
    const [tables] = await database.run([
      statement(
        `select table_name as name from information_schema.tables where table_schema = 'experience' order by 1`,
      ),
    ]);
    const names = tables!.map(({ name }) => String(name));
    const rows = await database.run(
      names.map((name) => statement(`select t::text as row from experience.${name} t order by 1`)),
    );
    return Object.fromEntries(names.map((name, at) => [name, rows[at]!.map(({ row }) => String(row))]));
  } finally {
    await database.close();
  }
}

const of = (agent: string, more: object = {}, librarian = 'builtin:rules') => ({
  ...{ source, roles: { agent, librarian } },
  ...more,
});

// There the run without experience was given fourteen canned fixes and made the librarian's calls all the same.
test('B6: without experience no unit is suggested, no store is touched and no librarian is asked', async () => {
  const result = await setUp(world, 'without', of('without', { experience: { mode: 'off' } }, 'inventive'));
  expect(result).toMatchObject({ status: 'gave_up', units: [], learned: [] });
  expect((await readChain(world, result.head)).of('try_experience')).toContain('no unit that was suggested');
  const handle = world.client.workflow.getHandle('without');
  expect((await activitiesOf(handle)).filter((name) => /Units$/.test(name))).toEqual([]);
  expect(world.rehearsal.stats().models.inventive).toBeUndefined();
  expect(existsSync(join(world.home, 'experience'))).toBe(false);
});

describe('with units in the store', () => {
  beforeAll(async () => {
    const level = ExperienceUnit.parse({
      ...unitFor('calc', 'calc-level', 'true'),
      signals: { regex: ["KeyError: 'CALC_LEVEL'"], applicability: { lang: 'python' } },
      atoms: [
        { name: 'set_env', args: { key: 'CALC_LEVEL', value: '3' } },
        { name: 'set_umask', args: { mask: '027' } },
      ],
    });
    const seeming = ['calc-export', 'calc-pipe', 'calc-true'].map((id) => unitFor('calq', id, 'true'));
    await withExperience(world, (store) =>
      store.import([unitFor('calc', 'calc-right', mendOf('calc')), level, ...seeming]),
    );
  });

  // There an empty choice was taken for a failure of the model, and the three nearest units were forced on the agent.
  test('B8c: a librarian may find that none fits, and then nothing is offered', async () => {
    const result = await setUp(world, 'picky', of('last', {}, 'picky'));
    expect(result).toMatchObject({ status: 'gave_up', units: [] });
    expect((await readChain(world, result.head)).of('try_experience')).toContain('no unit that was suggested');
    expect(world.rehearsal.stats().models.picky!.answered).toBeGreaterThanOrEqual(1);
    expect(await telemetryOf(world, 'calc-right')).toEqual({ hits: 0, successes: 0, failures: 0 });
  });

  // There the last audit was made with a client that had been closed, and a made-up id changed any unit's record.
  test('B7: the last retrieval is audited when the run ends; a verdict on what nobody showed counts nothing', async () => {
    const result = await setUp(world, 'inventive', of('last', {}, 'inventive'));
    expect(result.units).toMatchObject([{ unit: 'calc-right', outcome: 'success', kept: true }]);
    expect(result.learned).toEqual([]);
    expect(result.notes).toContainEqual(expect.stringMatching(/a draft of the librarian is no unit: avoids tests/));
    expect(await telemetryOf(world, 'calc-right')).toEqual({ hits: 1, successes: 1, failures: 0 });
    expect(await telemetryOf(world, 'calc-true')).toEqual({ hits: 0, successes: 0, failures: 0 });
  });

  test('frozen looks units up, tries them, and writes nothing to memory', async () => {
    // What comes with the package comes in once, whoever asks first.
    await withExperience(world, shipExperience);
    const before = await memoryOf(world);
    const frozen = { experience: { mode: 'frozen' } };
    const tried = await setUp(world, 'frozen-last', of('last', frozen));
    expect(tried).toMatchObject({ units: [{ unit: 'calc-right', outcome: 'success', kept: true }], learned: [] });
    const taught = await setUp(world, 'frozen-learner', of('learner', frozen));
    expect(taught).toMatchObject({ status: 'gave_up', learned: [] });
    for (const id of ['frozen-last', 'frozen-learner']) {
      const names = await activitiesOf(world.client.workflow.getHandle(id));
      expect(names).toContain('suggestUnits');
      expect(names.filter((name) => /^(?:audit|learn)Units$/.test(name))).toEqual([]);
    }
    expect(await memoryOf(world)).toEqual(before);
    expect(before.units!.length).toBeGreaterThan(60);
  });

  // There each showing counted and only some were judged, so that the best unit looked like a bad one.
  test('B8: shown three times in one run is one hit, and no verdict is no bad record', async () => {
    const before = await telemetryOf(world, 'calc-right');
    await setUp(world, 'once', of('once'));
    const shown = (await activitiesOf(world.client.workflow.getHandle('once'))).filter(
      (name) => name === 'suggestUnits',
    );
    expect(shown).toHaveLength(3);
    const after = await telemetryOf(world, 'calc-right');
    expect(after).toEqual({ ...before, hits: before.hits + 1 });
    expect(reliability(after)).toBe(reliability(before));
  });

  // There an exit code of 0 was success: 546 of 548 trials "succeeded".
  test('B8b: a trial that ends with 0 while the error stays is a failure, booked and rolled back', async () => {
    const result = await setUp(world, 'seeming', of('seeming', { source: `dir:${folderOf(projectOf('calq'))}` }));
    const ids = ['calc-export', 'calc-pipe', 'calc-true'];
    expect(result.units.map(({ unit, outcome, kept }) => [unit, outcome, kept])).toEqual(
      ids.map((id) => [id, 'failure', false]),
    );
    const { steps, of: told } = await readChain(world, result.head);
    expect(steps.slice(1, 4).map(({ observation, undoes }) => [observation.exitCode, undoes])).toEqual([
      [0, [2]],
      [0, [3]],
      [0, [4]],
    ]);
    expect(told('[$CALC_MODE]')).toBe('[]\n');
    for (const id of ids) expect(await telemetryOf(world, id)).toMatchObject({ successes: 0, failures: 1 });
  });

  // There `export` and `umask` were run in a shell of their own, which ended with them.
  test('B8b: what set_env and set_umask do lasts for the commands that follow', async () => {
    const result = await setUp(world, 'lasting', of('lasting'));
    expect(result.units).toMatchObject([{ unit: 'calc-level', outcome: 'success', kept: true }]);
    expect((await readChain(world, result.head)).of('stat -c')).toBe('level 3\n640\n');
  });

  // There looking and inserting were two things, and two writers made two units of one.
  test('B3: two runs that learn the same at once make one unit of it', async () => {
    const ids = async () => withExperience(world, async (store) => (await store.list()).map(({ id }) => id));
    const before = await ids();
    const results = await Promise.all(['learner-1', 'learner-2'].map((id) => setUp(world, id, of('learner'))));
    const learned = results.flatMap((result) => result.learned);
    expect(learned).toHaveLength(2);
    expect(new Set(learned.map(({ unit }) => unit)).size).toBe(1);
    expect(learned.filter(({ how }) => how === 'inserted').length).toBeLessThanOrEqual(1);
    expect((await ids()).length - before.length).toBeLessThanOrEqual(1);
  });
});
