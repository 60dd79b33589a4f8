import { setTimeout as sleep } from 'node:timers/promises';
import type { RepoSetupResult } from '../../../src/contract';
import { labelled, NOTHING } from '../../support/chaos';
import {
  act,
  folderOf,
  giveUp,
  mendOf,
  projectOf,
  reach,
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
  endless: { turns: [...begun], end: shell('true') },
  slow: { turns: [...begun, shell('sleep 4'), shell('true')], end: shell('true') },
  killed: { turns: [...begun, shell('echo once >> /opt/count; sleep 5'), shell('cat /opt/count'), giveUp()] },
  mute: { turns: [giveUp()], faults: away(1, 403, 'not for you') },
};

let world: World;
let source: string;
beforeAll(async () => {
  source = `dir:${folderOf(projectOf('calc'))}`;
  const price = { input: 1000, output: 1000 };
  const profiles = Object.fromEntries(Object.keys(models).map((name) => [name, { price }]));
  world = await World.start({ script: { models }, profiles });
  await withExperience(world, (store) => store.import([unitFor('calc', 'calc-right', mendOf('calc'))]));
}, 120_000);
afterAll(async () => {
  await world?.close();
  removeFolders();
}, 60_000);

const of = (agent: string, more: object = {}) => ({ source, roles: { agent }, ...more });

/** Everything is kept: the steps, the trial, the frames; and what was shown has been judged by what came of it. */
async function keepsAll(result: RepoSetupResult, successes: number): Promise<void> {
  expect(result.units).toMatchObject([{ unit: 'calc-right', outcome: 'success', kept: true }]);
  expect(result.frames.map(({ label }) => label)).toEqual(expect.arrayContaining(['base', 'before calc-right']));
  const { steps, told } = await readChain(world, result.head);
  expect(steps.length).toBeGreaterThanOrEqual(2);
  expect(told[0]).toContain("No such file or directory: '/opt/calc/mode'");
  expect((await telemetryOf(world, 'calc-right')).successes).toBe(successes);
  expect(await labelled(`switchyard.workflow=${result.id}`)).toEqual(NOTHING);
}

// There the process died with its container left behind, and nothing was written down.
test("B1: a provider's refusal ends the run with a result, everything kept and experience audited", async () => {
  const refused = await setUp(world, 'refused', of('refused'));
  expect(refused).toMatchObject({ status: 'model_rejected', selfClaim: false, image: null });
  expect(refused.detail).toContain('no such key');
  await keepsAll(refused, 1);
  const narrow = await setUp(world, 'narrow', of('narrow'));
  expect(narrow).toMatchObject({ status: 'limit_context' });
  await keepsAll(narrow, 2);
}, 120_000);

test('B1: replies that are JSON and no action end the run with a result too', async () => {
  const result = await setUp(world, 'garbled', of('garbled'));
  expect(result).toMatchObject({ status: 'format_exhausted', formatRetries: 3 });
  await keepsAll(result, 3);
}, 120_000);

// There the first of these errors was the end of the run.
test('B1: errors that pass are no end: the call is made again', async () => {
  const result = await setUp(world, 'flaky', of('flaky'));
  expect(result).toMatchObject({ status: 'verified', steps: 3, tests: { passed: 1 } });
  expect(world.rehearsal.stats().faults).toMatchObject({ serverError: 1, reset: 1, malformedJson: 1 });
  await keepsAll(result, 4);
}, 120_000);

test('B1: a librarian that refuses costs its advice, not the run', async () => {
  const roles = { agent: 'endless', librarian: 'mute' };
  const result = await setUp(world, 'mute', { source, roles, limits: { steps: 3 } });
  expect(result).toMatchObject({ status: 'limit_steps', units: [], learned: [] });
  expect(result.notes.join('\n')).toMatch(/experience.*not for you/s);
}, 120_000);

// There a timeout returned before report, audit and clean-up.
test('B1b: limits of steps, time and cost end in a whole report, audited and cleaned up', async () => {
  const steps = await setUp(world, 'steps', of('endless', { limits: { steps: 3 } }));
  expect(steps).toMatchObject({ status: 'limit_steps', steps: 3 });
  await keepsAll(steps, 5);
  const clock = await setUp(world, 'clock', of('slow', { limits: { wallClockSeconds: 12 } }));
  expect(clock.status).toBe('limit_wall_clock');
  await keepsAll(clock, 6);
  const cost = await setUp(world, 'cost', of('endless', { limits: { costUsd: 4.5 } }));
  expect(cost.status).toBe('limit_cost');
  expect(cost.cost.usd).toBeGreaterThanOrEqual(4.5);
  await keepsAll(cost, 7);
}, 180_000);

// There a run had no checkpoint, and its only file was written at the very end.
test('B1c: a run can be read while it goes on, and a killed worker neither loses nor repeats anything', async () => {
  const handle = await world.begin('repoSetup', of('killed', { judge: false, reproduce: false }), 'killed');
  await reach(handle, 3);
  await sleep(1500);
  const { head } = await handle.query<{ head: string }>('transcript');
  expect((await readChain(world, head)).told[0]).toContain('/opt/calc/mode');
  await world.killWorkers('SIGKILL');
  world.startWorker();
  await world.workerReady();
  const result = (await handle.result()) as RepoSetupResult;
  expect(result).toMatchObject({ status: 'gave_up', steps: 5 });
  expect((await readChain(world, result.head)).of('cat /opt/count')).toBe('once\n');
  await keepsAll(result, 8);
}, 180_000);
