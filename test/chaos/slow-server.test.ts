import type { RolloutResult } from '../../src/contract';
import { COUNTS, minutes } from '../support/counts';
import { figures } from '../support/figures';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const STEPS = 2;
/** As long as an answer takes, so that a call that waits for its place waits many times longer than it may take itself. */
const ANSWER_MS = 600;
const TIMEOUT_SECONDS = 2;

const script = {
  models: {
    slow: {
      turns: Array.from({ length: STEPS - 1 }, (_, i) => ({ tool: 'bash', args: { command: `echo ${i}` } })),
      latencyMs: ANSWER_MS,
    },
  },
};

let world: World;
beforeAll(async () => {
  world = await World.start({ script, profiles: { slow: { timeoutSeconds: TIMEOUT_SECONDS, concurrency: 1 } } });
});
afterAll(async () => {
  await world?.close();
});

test(
  'many rollouts on one place of a slow server: each gets its turn, none is lost, none is asked twice',
  async () => {
    const rollouts = COUNTS.slowRollouts;
    const input = { problem: await tinyProblem(), student: 'slow', handOver: { never: true }, grade: false };
    const since = Date.now();
    const handles = await Promise.all(
      Array.from({ length: rollouts }, (_, i) => world.begin('rollout', input, `slow-${i}`)),
    );
    const results = (await Promise.all(handles.map((handle) => handle.result()))) as RolloutResult[];
    const { requests, answered, abandoned, maxInFlight } = world.rehearsal.stats();
    figures('one slow server', { rollouts, requests, abandoned, maxInFlight, seconds: (Date.now() - since) / 1000 });
    expect(results.map(({ status }) => status)).toEqual(results.map(() => 'submitted'));
    expect({ requests, answered, abandoned, maxInFlight }).toEqual({
      requests: rollouts * STEPS,
      answered: rollouts * STEPS,
      abandoned: 0,
      maxInFlight: 1,
    });
  },
  minutes(3, 15),
);

test('the time that a call is given comes from its profile, and waiting for a place is beyond it', async () => {
  const history = await world.client.workflow.getHandle('slow-0').fetchHistory();
  const calls = (history.events ?? [])
    .map(({ activityTaskScheduledEventAttributes: scheduled }) => scheduled)
    .filter((scheduled) => scheduled?.activityType?.name === 'takeTurn');
  expect(calls.length).toBe(STEPS);
  for (const call of calls) {
    const week = 7 * 24 * 3600;
    expect(Number(call?.startToCloseTimeout?.seconds)).toBe(week + TIMEOUT_SECONDS);
    // The server sets it to the run's own, which has none.
    expect(Number(call?.scheduleToCloseTimeout?.seconds ?? 0)).toBe(0);
    // A worker that died is noticed by it, long before.
    expect(Number(call?.heartbeatTimeout?.seconds)).toBe(20);
  }
});
