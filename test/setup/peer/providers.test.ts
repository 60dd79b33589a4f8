import type { RepoSetupResult } from '../../../src/contract';
import { NOTHING } from '../../support/chaos';
import {
  act,
  folderOf,
  giveUp,
  leftOf,
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

/** A failed test run, a unit that mends it, and nothing more: each run below ends here in its own way. */
const begun = [shell(TESTS), act('try_experience', { unit: 'calc-right', why: 'it fits' })];
const away = (turn: number, status: number, message: string) => [
  { kind: 'rejected', turns: [turn], status, code: 'no', message },
];
const models = {
  refused: { turns: [...begun, giveUp()], faults: away(3, 401, 'no such key') },
  narrow: { turns: [...begun, giveUp()], faults: [{ kind: 'contextExceeded', turns: [3] }] },
  garbled: { turns: [...begun, { raw: '[1, 2]' }, { raw: 'null' }, { raw: '{"action": null}' }] },
  flaky: {
    turns: [...begun, act('verify')],
    faults: ['serverError', 'reset', 'malformedJson', 'htmlPage'].map((kind, at) => ({
      kind,
      turns: [Math.min(at + 1, 3)],
      first: 1,
    })),
  },
  mute: { turns: [giveUp()], faults: away(1, 403, 'not for you') },
};

let world: World;
let source: string;
beforeAll(async () => {
  source = `dir:${folderOf(projectOf('calc'))}`;
  const profiles = Object.fromEntries(Object.keys(models).map((name) => [name, {}]));
  world = await World.start({ script: { models }, profiles });
  await withExperience(world, (store) => store.import([unitFor('calc', 'calc-right', mendOf('calc'))]));
});
afterAll(async () => {
  await world?.close();
  removeFolders();
});

const of = (agent: string, more: object = {}) => ({ source, roles: { agent }, ...more });

/** Everything is kept: the steps, the trial, the frames; and nothing is left. */
async function keepsAll(result: RepoSetupResult): Promise<void> {
  expect(result.units).toMatchObject([{ unit: 'calc-right', outcome: 'success', kept: true }]);
  expect(result.frames.map(({ label }) => label)).toEqual(expect.arrayContaining(['base', 'before calc-right']));
  const { steps, told } = await readChain(world, result.head);
  expect(steps.length).toBeGreaterThanOrEqual(2);
  expect(told[0]).toContain("No such file or directory: '/opt/calc/mode'");
  expect(await leftOf(world, result.id)).toEqual(NOTHING);
}

// There each of these ended the process: its container left behind, and nothing written down.
test('B1: a provider that refuses and replies that are no action end the run with a result, everything kept, all audited', async () => {
  const [refused, narrow, garbled] = await Promise.all(
    ['refused', 'narrow', 'garbled'].map((name) => setUp(world, name, of(name))),
  );
  expect(refused).toMatchObject({ status: 'model_rejected', selfClaim: false, image: null });
  expect(refused!.detail).toContain('no such key');
  expect(narrow).toMatchObject({ status: 'limit_context' });
  expect(garbled).toMatchObject({ status: 'format_exhausted', formatRetries: 3 });
  for (const result of [refused, narrow, garbled]) await keepsAll(result!);
  expect(await telemetryOf(world, 'calc-right')).toEqual({ hits: 3, successes: 3, failures: 0 });
});

// There the first of these errors was the end of the run.
test('B1: errors that pass are no end, and a librarian that refuses costs its advice, not the run', async () => {
  const roles = { agent: 'refused', librarian: 'mute' };
  const [flaky, mute] = await Promise.all([
    setUp(world, 'flaky', of('flaky')),
    setUp(world, 'mute', { source, roles, limits: { steps: 1 } }),
  ]);
  expect(flaky).toMatchObject({ status: 'verified', steps: 3, tests: { passed: 1 } });
  expect(world.rehearsal.stats().faults).toMatchObject({ serverError: 1, reset: 1, malformedJson: 1 });
  await keepsAll(flaky);
  expect(mute).toMatchObject({ status: 'limit_steps', units: [], learned: [] });
  expect(mute.notes.join('\n')).toMatch(/experience: look-up of turn 1: .*not for you/);
});
