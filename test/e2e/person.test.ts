import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { Cli } from '../../src/cli/context';
import { HomeSource } from '../../src/cli/view/source';
import type {
  DatasetResult,
  PersonAct,
  PersonActed,
  Problem,
  RolloutInput,
  RolloutProgress,
  RolloutResult,
} from '../../src/contract';
import { REPOSITORY } from '../../src/home';
import { serveViewer } from '../../src/pages/viewer/server/server';
import { NOTHING } from '../support/chaos';
import { axeFindings, describeInBrowser, launch, watchedPage } from '../support/chromium';
import { leftOf } from '../support/set-up';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const bash = (command: string) => ({ thought: 'Look.', tool: 'bash', args: { command } });
const script = {
  models: {
    student: { dialect: 'xml', position: 'turn', turns: [bash('ls'), bash('cat README.md')], end: 'repeat' },
    model: { position: 'match', turns: [bash('sed -i "s/a - b/a + b/" src/calc.py')], end: 'submit' },
  },
};

let world: World;
beforeAll(async () => {
  world = await World.start({
    script,
    profiles: {
      student: { view: { dialect: 'xml' } },
      model: {},
      ann: { provider: 'person', baseUrl: undefined, model: undefined },
    },
  });
});
afterAll(async () => {
  await world?.close();
});

const TESTS = `import sys
import unittest

sys.path.insert(0, 'src')
from calc import add


class AddTest(unittest.TestCase):
    def test_small(self):
        self.assertEqual(add(2, 3), 5)

    def test_nothing(self):
        self.assertEqual(add(4, 0), 4)
`;

const input = async (more: Partial<RolloutInput> = {}) => {
  const tests: Problem['tests'] = {
    command: 'python3 -m unittest discover -s tests',
    parser: { kind: 'auto' },
    failToPass: ['test_small (test_calc.AddTest)'],
    passToPass: ['test_nothing (test_calc.AddTest)'],
    files: [{ path: 'tests/test_calc.py', content: TESTS }],
    timeoutSeconds: 60,
  };
  return {
    problem: { ...(await tinyProblem()), tests },
    student: 'student',
    expert: 'ann',
    handOver: { at: 2 },
    ...more,
  };
};

const progressOf = (id: string) => world.client.workflow.getHandle(id).query<RolloutProgress>('progress');

async function awaited(id: string, turn: number): Promise<NonNullable<RolloutProgress['awaiting']>> {
  for (;;) {
    const { awaiting } = await progressOf(id);
    if (awaiting?.turn === turn) return awaiting;
    await sleep(50);
  }
}

const act = (id: string, more: Partial<PersonAct> & { turn: number }) =>
  world.client.workflow.getHandle(id).executeUpdate<PersonActed, [object]>('act', {
    args: [{ by: 'Ann', tool: 'bash', args: { command: 'true' }, ...more }],
  });

async function refusal(doing: Promise<unknown>): Promise<string> {
  const error = await doing.then(
    () => new Error('it was taken'),
    (thrown: unknown) => thrown,
  );
  return error instanceof WorkflowUpdateFailedError ? String(error.cause?.message) : String(error);
}

/** `rollout attach` with these lines on standard input. */
function attach(id: string, lines: readonly string[], ...flags: string[]) {
  const child = spawn(process.execPath, [join(REPOSITORY, 'dist/main.js'), 'rollout', 'attach', id, ...flags], {
    env: world.env,
  });
  child.stdin.end(`${lines.join('\n')}\n`);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data) => (stdout += data));
  child.stderr.on('data', (data) => (stderr += data));
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

test('a person takes over from a student through a pipe, is graded, and is in the data set as one', async () => {
  const handle = await world.begin('rollout', await input(), 'by-hand');
  const first = await attach('by-hand', ['cat src/calc.py', 'vim src/calc.py', 'quit', 'rm README.md'], '--as', 'Ann');
  expect(first.stdout).toContain('add(2, 3) gives -1');
  expect(first.stdout).toContain('return a - b');
  expect(first.stderr).toContain('interactive editor');
  expect(first.code).toBe(1);
  // What came after `quit` was not done, and what was refused made no turn.
  const { awaiting, phase } = await progressOf('by-hand');
  expect({ awaiting, phase }).toMatchObject({
    phase: 'AwaitingPerson',
    awaiting: { turn: 4, profile: 'ann', author: 'expert' },
  });

  const second = await attach(
    'by-hand',
    [
      '# It subtracts.',
      ':str_replace_editor {"command": "str_replace", "path": "/testbed/src/calc.py", "old_str": "a - b", "new_str": "a + b"}',
      'python3 -c "from src.calc import add; \\',
      'print(add(2, 3))"',
      'submit',
    ],
    '--as',
    'Bob',
    '--json',
  );
  expect({ code: second.code, stderr: second.code === 0 ? '' : second.stderr }).toEqual({ code: 0, stderr: '' });
  const said = JSON.parse(second.stdout) as { ended: boolean; turns: PersonActed[] };
  expect(said).toMatchObject({ ended: true, turns: [{ turn: 4 }, { turn: 5 }, { turn: 6, submitted: true }] });

  const result = (await handle.result()) as RolloutResult;
  expect(result).toMatchObject({
    status: 'submitted',
    handOver: { sampled: 2, expertFrom: 3, reason: 'policy' },
    turns: { total: 6, student: 2, expert: 4 },
    cost: { usd: 0 },
    grade: { verdict: 'graded' },
    resolved: true,
  });
  const { steps } = await world.transcripts.load(result.head);
  expect(steps.map(({ turn }) => [turn.author, turn.model, turn.person])).toEqual([
    ['student', 'rehearsal/student', undefined],
    ['student', 'rehearsal/student', undefined],
    ['expert', 'person', 'Ann'],
    ['expert', 'person', 'Bob'],
    ['expert', 'person', 'Bob'],
    ['expert', 'person', 'Bob'],
  ]);
  expect(steps[3]!.turn).toMatchObject({ thought: 'It subtracts.', action: { tool: 'str_replace_editor' } });
  expect(steps[4]!.observation).toBe('5\n');
  expect(await leftOf(world, 'by-hand')).toEqual(NOTHING);
  expect((await attach('by-hand', ['ls'])).stderr).toContain('has ended');

  const other = await world.begin('rollout', await input({ expert: 'model' }), 'by-model');
  await other.result();
  const build = async (name: string, filters: object) =>
    (await (
      await world.begin(
        'dataset',
        {
          name,
          sources: [{ runs: ['by-hand', 'by-model'] }],
          filters: { doubtful: false, ...filters },
          formats: ['universal'],
          parquet: false,
        },
        `dataset/${name}`,
      )
    ).result()) as DatasetResult;
  const both = await build('both', {});
  expect(both).toMatchObject({ rows: 2, humanRows: 1 });
  expect(readFileSync(join(both.folder, 'README.md'), 'utf8')).toContain('In 1 of them a person');
  const records = readFileSync(join(both.folder, both.files[0]!.path), 'utf8').trim().split('\n');
  const flags = records
    .map((line) => JSON.parse(line).metadata)
    .map((row) => [row.rollout_id, row.flags.includes('human')]);
  expect(Object.fromEntries(flags)).toEqual({ 'by-hand': true, 'by-model': false });
  expect(JSON.stringify(records)).not.toMatch(/Ann|Bob/);
  expect(await build('models', { human: 'none' })).toMatchObject({ rows: 1 });
  const people = await build('people', { human: 'only' });
  expect(people).toMatchObject({ rows: 1, humanRows: 1 });
  expect(readFileSync(join(people.folder, 'dropped.jsonl'), 'utf8')).toContain('"reason":"not_human"');
}, 240_000);

test('late, early, repeated and malformed acts are refused in words, and the turn waits on', async () => {
  const handle = await world.begin('rollout', await input({ handOver: { at: 0 }, grade: false }), 'refused');
  const { since } = await awaited('refused', 1);
  expect(await refusal(act('refused', { turn: 2 }))).toContain('turn 2: it has not come yet');
  expect(await refusal(act('refused', { turn: 1, tool: 'browse' }))).toContain('there is no tool "browse"');
  expect(await refusal(act('refused', { turn: 1, args: {} }))).toContain('bash needs the argument "command"');
  expect(await refusal(act('refused', { turn: 1, by: ' ' }))).toContain('by');
  expect((await awaited('refused', 1)).since).toBe(since);
  const both = await Promise.allSettled([
    act('refused', { turn: 1, args: { command: 'sleep 1; echo first' } }),
    act('refused', { turn: 1, args: { command: 'echo second' } }),
  ]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  await awaited('refused', 2);
  expect(await refusal(act('refused', { turn: 1 }))).toContain('turn 1: it has been made already');
  expect(await act('refused', { turn: 2, tool: 'submit', args: {} })).toMatchObject({ turn: 2, submitted: true });
  expect(await handle.result()).toMatchObject({
    status: 'submitted',
    turns: { total: 2, expert: 2, formatRetries: 0 },
  });
});

test('a wait is paused, limited, handed over, outlives its worker, and ends when it is cancelled', async () => {
  const steer = (id: string, update: string, argument?: unknown) =>
    world.client.workflow.getHandle(id).executeUpdate<unknown, [unknown]>(update, { args: [argument] });

  const limited = await world.begin('rollout', await input({ handOver: { at: 0 }, grade: false }), 'limited');
  await awaited('limited', 1);
  // What was taken is answered, though its worker died meanwhile, and was done once.
  const slow = act('limited', { turn: 1, args: { command: 'sleep 2; echo once >> /tmp/done; cat /tmp/done' } });
  while ((await progressOf('limited').catch(() => undefined))?.container === null) await sleep(50);
  await sleep(700);
  await world.killWorkers();
  world.startWorker();
  await world.workerReady();
  expect(await slow).toMatchObject({ turn: 1, exitCode: 0, preview: expect.stringMatching(/^once\s*$/) });
  await awaited('limited', 2);
  await steer('limited', 'pause');
  expect(await refusal(act('limited', { turn: 2 }))).toContain('the rollout is paused');
  expect(await progressOf('limited')).toMatchObject({ phase: 'Paused', paused: true });
  await steer('limited', 'resume');
  await world.killWorkers();
  world.startWorker();
  await world.workerReady();
  expect(await awaited('limited', 2)).toMatchObject({ author: 'expert' });
  await steer('limited', 'setBudget', { steps: 1 });
  expect(await limited.result()).toMatchObject({ status: 'limit_steps', turns: { total: 1 } });

  // The person is the student here, and a model takes over.
  const people = { student: 'ann', expert: 'model', handOver: { at: 9 }, grade: false } as const;
  const handed = await world.begin('rollout', await input(people), 'handed');
  await awaited('handed', 1);
  await steer('handed', 'handOver');
  expect(await handed.result()).toMatchObject({
    status: 'submitted',
    turns: { student: 0 },
    handOver: { reason: 'person' },
  });

  const abandoned = await world.begin('rollout', await input({ handOver: { at: 0 }, grade: false }), 'abandoned');
  await awaited('abandoned', 1);
  await steer('abandoned', 'abandon');
  expect(await abandoned.result()).toMatchObject({ status: 'cancelled' });

  const cancelled = await world.begin('rollout', await input({ handOver: { at: 0 }, grade: false }), 'cancelled');
  await awaited('cancelled', 1);
  await cancelled.cancel();
  await expect(cancelled.result()).rejects.toThrow('cancelled');
  expect(await leftOf(world, 'cancelled')).toEqual(NOTHING);
}, 180_000);

describeInBrowser('the viewer in a browser', () => {
  test('a person acts from the page of a run that waits', async () => {
    const handle = await world.begin('rollout', await input({ handOver: { at: 1 }, grade: false }), 'browsed');
    await awaited('browsed', 2);
    const before = process.env;
    process.env = world.env;
    const cli = new Cli();
    const source = new HomeSource(cli, { campaigns: [], runs: ['browsed'], setups: [] });
    const serving = await serveViewer(source, { port: 0, host: '127.0.0.1', title: 'one run' });
    const browser = await launch();
    try {
      const { page, troubles } = await watchedPage(browser, serving.url);
      await page.goto(`${serving.url}#/run/browsed`);
      const box = page.getByRole('region', { name: 'A turn that waits for a person' });
      await box.getByRole('heading', { name: /^Turn 2 waits for a person \(ann\)/ }).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await box.getByLabel('Shell command').fill('echo made by hand > made.txt; cat made.txt');
      await box.getByRole('button', { name: 'Run' }).click();
      await box.getByText('Say who you are').waitFor();
      await box.getByLabel('Your name').fill('<b>Ann</b>');
      await box.getByLabel('Thought').fill('A file is missing.');
      await box.getByRole('button', { name: 'Run' }).click();
      await box.getByText('Turn 2: exit 0').waitFor();
      await page.getByRole('article', { name: 'Turn 2, expert' }).getByText('made by hand').last().waitFor();
      expect(await page.locator('.turn .chip', { hasText: 'person: <b>Ann</b>' }).count()).toBe(1);
      // What a tool would not take is said, and stays to be mended.
      await box.getByLabel('Shell command').fill('vim made.txt');
      await box.getByLabel('Shell command').press('Control+Enter');
      await box.getByText('interactive editor').waitFor();
      expect(await box.getByLabel('Shell command').inputValue()).toBe('vim made.txt');
      await box.getByRole('button', { name: 'Submit the work' }).click();
      await box.waitFor({ state: 'hidden' });
      expect(await handle.result()).toMatchObject({ status: 'submitted', turns: { total: 3, student: 1, expert: 2 } });
      expect(troubles.filter((trouble) => !trouble.includes('status of 400'))).toEqual([]);
    } finally {
      await browser.close();
      await serving.close();
      await cli.close();
      process.env = before;
    }
  });
});

test('a person answers no other question than a turn of a rollout', async () => {
  const review = await world.begin('rolloutReview', { rollout: 'by-hand', reviewer: 'ann' }, 'review');
  await expect(review.result()).rejects.toMatchObject({
    cause: { cause: { message: expect.stringContaining("only turns of rollouts can be a person's") } },
  });
});
