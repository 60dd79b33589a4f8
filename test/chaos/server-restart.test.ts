import { setTimeout as sleep } from 'node:timers/promises';
import type { RolloutResult } from '../../src/contract';
import { dice, ledgerOf } from '../support/chaos';
import { COUNTS, minutes } from '../support/counts';
import { figures } from '../support/figures';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const STEPS = 6;
const script = {
  models: {
    solo: {
      turns: Array.from({ length: STEPS - 2 }, (_, i) => ({
        thought: `${i}`,
        tool: 'bash',
        args: { command: `echo ${i} >> /var/tmp/ran; sleep 0.2` },
      })),
      end: 'submit',
      latencyMs: 100,
      scenes: [],
    },
  },
};
script.models.solo.turns.push({ thought: 'ran?', tool: 'bash', args: { command: 'cat /var/tmp/ran' } });

let world: World;
beforeAll(async () => {
  world = await World.start({ script, profiles: { solo: {} } });
});
afterAll(async () => {
  await world?.close();
});

test(
  'a Temporal server that is killed and started again loses no rollout and doubles none',
  async () => {
    const { serverRollouts: rollouts, serverRestarts: restarts } = COUNTS;
    const random = dice('server-restart');
    const problem = await tinyProblem();
    const input = { problem, student: 'solo', handOver: { never: true }, grade: false };
    const ids = Array.from({ length: rollouts }, (_, i) => `batch/${i}`);
    const runs = new Map<string, string>();
    for (const id of ids) runs.set(id, (await world.begin('rollout', input, id)).firstExecutionRunId);
    for (let kill = 0; kill < restarts; kill++) {
      await sleep(500 + random() * 2_500);
      await world.killServer();
      await sleep(random() * 1_000);
      await world.startServer();
    }
    const results = (await Promise.all(
      ids.map((id) => world.client.workflow.getHandle(id).result()),
    )) as RolloutResult[];
    const listed: string[] = [];
    for await (const each of world.client.workflow.list({ query: "WorkflowType = 'rollout'" }))
      listed.push(`${each.workflowId} ${each.runId}`);
    const { requests, answered } = world.rehearsal.stats();
    figures('3 server killed', {
      restarts,
      rollouts,
      finished: results.length,
      executions: listed.length,
      requests,
      answered,
    });
    expect(new Set(results.map(({ head }) => head)).size).toBe(1);
    expect(results.every(({ status, turns }) => status === 'submitted' && turns.total === STEPS)).toBe(true);
    expect(listed.sort()).toEqual([...runs].map(([id, run]) => `${id} ${run}`).sort());
    const { steps } = await world.transcripts.load(results[0]!.head);
    expect(steps.at(-2)!.observation).toBe('0\n1\n2\n3\n');
    for (const [, run] of runs) expect(ledgerOf(world, run)).toHaveLength(STEPS);
    expect(answered).toBe(rollouts * STEPS);
  },
  minutes(3, 20),
);
