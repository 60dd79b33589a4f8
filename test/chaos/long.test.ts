import type { RolloutResult } from '../../src/contract';
import { COUNTS, minutes } from '../support/counts';
import { figures } from '../support/figures';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const steps = COUNTS.longSteps;
const script = {
  models: {
    solo: {
      turns: [],
      generate: { steps: steps - 1, command: 'echo {k} >> /testbed/log.txt; export AT={k}', observationKiB: 4 },
    },
  },
};

/** One long run on a server of its own: what it made, and how large its histories are, all continued runs together. */
async function run(serverConfig: string[]) {
  const world = await World.start({ script, profiles: { solo: { contextTokens: 2_000_000 } }, serverConfig });
  try {
    const input = {
      problem: await tinyProblem(),
      student: 'solo',
      handOver: { never: true },
      grade: false,
      limits: { steps: steps + 5 },
    };
    const since = Date.now();
    const result = (await (await world.begin('rollout', input, 'long')).result()) as RolloutResult;
    const seconds = (Date.now() - since) / 1000;
    const sizes = { runs: 0, events: 0, bytes: 0 };
    for await (const { runId } of world.client.workflow.list({ query: "WorkflowId = 'long'" })) {
      const { historyLength, historySize } = await world.client.workflow.getHandle('long', runId).describe();
      sizes.runs += 1;
      sizes.events += historyLength;
      sizes.bytes += historySize ?? 0;
    }
    return { result, seconds, ...sizes };
  } finally {
    await world.close();
  }
}

test(
  'a long run stays small and crosses continue-as-new without a seam',
  async () => {
    const far = 1_000_000;
    const whole = await run([
      `limit.historyCount.suggestContinueAsNew=${far}`,
      `limit.historySize.suggestContinueAsNew=${far * 1000}`,
    ]);
    const crossed = await run([`limit.historyCount.suggestContinueAsNew=${Math.floor(steps * 3)}`]);
    const events = whole.events / steps;
    const bytes = whole.bytes / steps;
    figures('17 long run', {
      steps,
      eventsAStep: events,
      bytesAStep: bytes,
      seconds: whole.seconds,
      crossedRuns: crossed.runs,
      head: crossed.result.head === whole.result.head ? 'same' : 'OTHER',
    });
    expect(whole).toMatchObject({ runs: 1, result: { status: 'submitted', turns: { total: steps } } });
    expect(crossed.runs).toBeGreaterThanOrEqual(3);
    expect(crossed.result).toEqual(whole.result);
    expect(events).toBeLessThanOrEqual(15);
    expect(bytes).toBeLessThanOrEqual(4096);
  },
  minutes(4, 20),
);
