import { setTimeout as sleep } from 'node:timers/promises';
import { Cli } from '../../src/cli/context';
import { HomeSource } from '../../src/cli/view/source';
import type { RolloutResult } from '../../src/contract';
import type { RunPage } from '../../src/pages/viewer/payload';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const bash = (command: string, thought = 'Look.') => ({ thought, tool: 'bash', args: { command } });
const script = {
  models: {
    student: {
      dialect: 'xml',
      position: 'turn',
      turns: [bash('ls'), bash('echo x > made.txt'), bash('true')],
      end: 'repeat',
    },
    expert: {
      dialect: 'tools',
      position: 'match',
      turns: [
        {
          thought: 'Fix it.',
          tool: 'str_replace_editor',
          args: { command: 'str_replace', path: '/testbed/src/calc.py', old_str: 'a - b', new_str: 'a + b' },
        },
      ],
      end: 'submit',
    },
  },
};

let world: World;
let cli: Cli;
let before: NodeJS.ProcessEnv;

beforeAll(async () => {
  world = await World.start({
    script,
    profiles: { student: { view: { dialect: 'xml' } }, expert: { view: { dialect: 'tools' } } },
  });
  before = process.env;
  process.env = world.env;
  cli = new Cli();
});
afterAll(async () => {
  await cli?.close();
  if (before) process.env = before;
  await world?.close();
});

const source = () => new HomeSource(cli, { campaigns: [], runs: [], setups: [] });
const input = async (more: object = {}) => ({
  problem: await tinyProblem(),
  student: 'student',
  expert: 'expert',
  handOver: { at: 3 },
  grade: false,
  ...more,
});

test('a rollout is seen while it runs, and knows the events of its turns when it has ended', async () => {
  await world.control({ latencyMs: 1_500 });
  const handle = await world.begin('rollout', await input(), 'seen');
  const viewer = source();
  let live: RunPage | undefined;
  for (let waited = 0; waited < 60_000 && !live; waited += 300) {
    const page = await viewer.run('seen');
    if (page.live && page.turns.length > 0) live = page;
    await sleep(300);
  }
  expect(live?.line.status).toBe('running');
  await world.control({ latencyMs: 0 });
  const result = (await handle.result()) as RolloutResult;
  const page = await viewer.run('seen');
  expect(page.live).toBe(false);
  expect(page.turns.map(({ hash }) => hash).slice(0, live!.turns.length)).toEqual(live!.turns.map(({ hash }) => hash));
  expect(page.turns.map(({ who, trained }) => [who, trained])).toEqual([
    ...Array(3).fill(['student', false]),
    ...Array(result.turns.expert).fill(['expert', true]),
  ]);
  // The command of turn 2 changed files that no edit shows; the edit of turn 4 is one that shows it.
  expect(page.turns.map(({ unseen }) => unseen).slice(0, 4)).toEqual([false, true, false, false]);
  expect(page.turns[3]!.edit?.path).toBe('/testbed/src/calc.py');
  expect(page.turns.every(({ durationMs }) => durationMs !== null)).toBe(true);

  const { turns, runId } = await viewer.events('seen');
  expect(runId).toBe((await handle.describe()).runId);
  const { events } = await handle.fetchHistory();
  for (const { turn } of page.turns) {
    const { asked, answered, done } = turns[turn]!;
    const kinds = [asked, answered, done].map((id) => {
      const event = events!.find(({ eventId }) => Number(eventId) === id)!;
      if (event.activityTaskScheduledEventAttributes)
        return event.activityTaskScheduledEventAttributes.activityType?.name;
      return event.activityTaskCompletedEventAttributes ? 'completed' : 'other';
    });
    expect(kinds).toEqual(['takeTurn', 'completed', 'completed']);
    expect(answered!).toBeLessThanOrEqual(done!);
  }
});

test('the list has what the server knows, and forks stand with what they were forked from', async () => {
  const fork = await world.begin(
    'rollout',
    await input({ fork: { run: 'seen', step: 2 }, handOver: { at: 2 } }),
    'forked',
  );
  await fork.result();
  const viewer = source();
  for (let waited = 0; waited < 20_000; waited += 300) {
    const { runs } = await viewer.list();
    if (runs.filter(({ status }) => status === 'submitted').length === 2) break;
    await sleep(300);
  }
  const { runs } = await viewer.list();
  expect(runs.map(({ id }) => id).sort()).toEqual(['forked', 'seen']);
  expect(await viewer.forks('forked')).toMatchObject({
    from: 1,
    to: 2,
    runs: [],
    children: expect.arrayContaining([
      expect.objectContaining({ from: 3, runs: ['seen'] }),
      expect.objectContaining({ from: 3, runs: ['forked'] }),
    ]),
  });
});
