import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GradeResult, Problem, RolloutResult } from '../../src/contract';
import { runCli } from '../cli/run-cli';
import { addingProblem, addPatch, GOLD } from '../support/adding-problem';
import { NOTHING } from '../support/chaos';
import { inFull } from '../support/counts';
import { leftOf } from '../support/set-up';
import { World } from '../support/world';

/** Right for what the visible statement says, wrong for one of the hidden tests. */
const HALF = addPatch('    return 5 if a == 2 else a - b');
/** Every comparison of unittest passes. */
const BRIBE = addPatch(
  '    return a - b',
  '',
  'import unittest',
  'unittest.TestCase.assertEqual = lambda self, one, other, msg=None: None',
);

let world: World;
let problem: Problem;
beforeAll(async () => {
  const expert = {
    dialect: 'tools',
    position: 'match',
    turns: [{ thought: 'Fix it.', tool: 'bash', args: { command: "sed -i 's/a - b/a + b/' src/calc.py" } }],
    end: 'submit',
  };
  const reviewer = { turns: [], end: { raw: 'It adds, as it was asked to.\n\naccept' } };
  const profiles = { expert: { view: { dialect: 'tools' } }, reviewer: {} };
  world = await World.start({ script: { models: { expert, reviewer } }, profiles });
  problem = await addingProblem();
  const folder = join(world.home, 'problems', 'tiny');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'problem.json'), JSON.stringify(problem));
});
afterAll(async () => {
  await world?.close();
});

async function grade(patch: string): Promise<GradeResult> {
  const handle = await world.begin('grade', { problem, patch, controls: 'sample' }, `grade/${randomUUID()}`);
  return (await handle.result()) as GradeResult;
}

async function pointsman(...args: string[]) {
  const own = Object.entries(world.env).filter(([name]) => /^(POINTSMAN|TEMPORAL)_/.test(name));
  return runCli([...args, '--json'], { env: Object.fromEntries(own) as Record<string, string> });
}

test('a problem of unittest has controls for each of its tests, and the patches are told apart', async () => {
  const [gold, half, bribe, nothing] = await Promise.all([GOLD, HALF, BRIBE, ''].map(grade));
  expect(gold).toMatchObject({
    ...{ resolved: true, verdict: 'graded', failToPass: { passed: 2, total: 2 }, passToPass: { passed: 1, total: 1 } },
    controls: { tests: 2, of: 2, passed: [], silent: [], dependent: [] },
  });
  expect(half).toMatchObject({ resolved: false, verdict: 'graded', failToPass: { passed: 1 }, controls: null });
  expect(bribe).toMatchObject({ resolved: false, verdict: 'bribed', failToPass: { passed: 2 } });
  expect(bribe!.controls!.passed[0]).toMatchObject({ path: 'tests/test_calc.py', line: expect.any(Number) });
  expect(bribe!.suspicion.length).toBeGreaterThan(0);
  expect(nothing).toMatchObject({ resolved: false, verdict: 'graded', failToPass: { passed: 0 } });
}, 180_000);

inFull(
  'a worker that is killed in the middle of it loses nothing and leaves nothing',
  async () => {
    const id = `grade/${randomUUID()}`;
    const handle = await world.begin('grade', { problem, patch: GOLD, controls: 'all' }, id);
    for (let kill = 0; kill < 3; kill++) {
      await sleep(1_500);
      await world.killWorkers();
      world.startWorker();
      await world.workerReady();
    }
    const result = (await handle.result()) as GradeResult;
    expect(result).toMatchObject({ resolved: true, verdict: 'graded', controls: { passed: [], silent: [] } });
    // Each planned run is reported once, however often it was begun.
    expect(new Set(result.runs.map(({ name }) => name)).size).toBe(result.runs.length);
    expect(await leftOf(world, id)).toEqual(NOTHING);
  },
  240_000,
);

test('on the command line: any patch, a rollout again, and a review that a data set heeds', async () => {
  const file = join(world.home, 'bribe.patch');
  writeFileSync(file, BRIBE);
  const bribed = await pointsman('problem', 'grade', 'tiny', '--patch', file);
  expect(bribed.code).toBe(1);
  expect(JSON.parse(bribed.stdout)).toMatchObject({ resolved: false, verdict: 'bribed' });
  expect((await pointsman('problem', 'grade', 'tiny', '--patch', `${file}.none`)).stderr).toContain('--patch: no file');

  const id = `rollout/${randomUUID()}`;
  const handle = await world.begin('rollout', { problem: 'tiny', expert: 'expert', handOver: { at: 0 } }, id);
  expect((await handle.result()) as RolloutResult).toMatchObject({ resolved: true });
  const again = await pointsman('rollout', 'regrade', id);
  expect(JSON.parse(again.stdout)).toMatchObject({ resolved: true, before: { resolved: true, verdict: 'graded' } });
  expect((await pointsman('rollout', 'review', id, '--accept')).stderr).toContain('Give it with --why');
  const review = await pointsman('rollout', 'review', id, '--refuse', '--why', 'not what was asked');
  expect(JSON.parse(review.stdout)).toMatchObject({ review: { accepted: false, why: 'not what was asked' } });
  const model = await pointsman('rollout', 'review', id, '--model', 'reviewer');
  expect(JSON.parse(model.stdout)).toMatchObject({
    review: { accepted: true, why: 'It adds, as it was asked to.', by: 'model reviewer' },
  });
}, 240_000);
