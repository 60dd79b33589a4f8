import { setTimeout as sleep } from 'node:timers/promises';
import type { RolloutResult } from '../../src/contract';
import { COUNTS, minutes } from '../support/counts';
import { figures } from '../support/figures';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const CONCURRENCY = 4;
const ROLLOUTS = 8;
const STEPS = 6;
/** Kinds that have to be met before the provider is well again. */
const KINDS = 6;
/** Each kind hits its share of requests while the trouble lasts. */
const TROUBLE = [
  { kind: 'rateLimit', retryAfter: { ms: 300 } },
  { kind: 'rateLimit' },
  { kind: 'serverError' },
  { kind: 'serverError', status: 503, retryAfter: { seconds: 1 } },
  { kind: 'hang' },
  { kind: 'reset' },
  { kind: 'halfBody' },
  { kind: 'stall' },
  { kind: 'malformedJson' },
  { kind: 'malformedToolCalls', variant: 'no_choices' },
  { kind: 'htmlPage', status: 502 },
].map((fault, seed) => ({ ...fault, probability: 0.14, seed }));

const script = {
  models: {
    solo: {
      turns: Array.from({ length: STEPS - 1 }, (_, i) => ({
        thought: `${i}`,
        tool: 'bash',
        args: { command: `echo ${i}` },
      })),
      faults: TROUBLE,
    },
  },
};

let world: World;
beforeAll(async () => {
  world = await World.start({ script, profiles: { solo: { timeoutSeconds: 1, concurrency: CONCURRENCY } } });
});
afterAll(async () => {
  await world?.close();
});

test(
  'provider trouble costs nothing but time',
  async () => {
    const input = {
      problem: await tinyProblem(),
      student: 'solo',
      handOver: { never: true },
      grade: false,
      // Agent time, in which waiting for a provider does not count; a busy machine takes seconds a turn.
      limits: { wallClockSeconds: 60 },
    };
    await world.control({ faults: TROUBLE });
    const since = Date.now();
    const handles = await Promise.all(
      Array.from({ length: ROLLOUTS }, (_, i) => world.begin('rollout', input, `troubled-${i}`)),
    );
    const ended = Promise.all(handles.map((handle) => handle.result()));
    const met = () => Object.keys(world.rehearsal.stats().faults).length >= KINDS;
    for (let over = false; !over && (Date.now() - since < COUNTS.providerSeconds * 1000 || !met()); )
      over = await Promise.race([ended.then(() => true), sleep(100, false)]);
    await world.control({ faults: [] });
    const results = (await ended) as RolloutResult[];
    const { faults, maxInFlight, requests } = world.rehearsal.stats();
    const failed = results.filter(({ status }) => status !== 'submitted').length;
    const hit = Object.values(faults).reduce((a, b) => a + b, 0);
    figures('6 provider trouble', {
      rollouts: ROLLOUTS,
      failed,
      requests,
      faults: hit,
      kinds: Object.keys(faults).length,
      maxInFlight,
      limit: CONCURRENCY,
      seconds: (Date.now() - since) / 1000,
    });
    expect(results.map(({ status }) => status)).toEqual(results.map(() => 'submitted'));
    expect(new Set(results.map(({ head }) => head)).size).toBe(1);
    expect(results.every(({ turns }) => turns.formatRetries === 0)).toBe(true);
    expect(Object.keys(faults).length).toBeGreaterThanOrEqual(KINDS);
    expect(maxInFlight).toBeLessThanOrEqual(CONCURRENCY);
  },
  minutes(3, 15),
);
