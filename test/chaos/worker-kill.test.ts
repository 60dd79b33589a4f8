import { setTimeout as sleep } from 'node:timers/promises';
import { dice, ended, ledgerOf, pastTurn, resultOf } from '../support/chaos';
import { COUNTS, minutes } from '../support/counts';
import { figures } from '../support/figures';
import { commandsOf, longScript } from '../support/long-script';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const steps = COUNTS.rolloutSteps;
const slow = (turns: number[]) => ({ kind: 'slow', latencyMs: 2_500, turns, perTurn: 1 });
const long = longScript(steps, {
  // A killed turn goes on at once: with quick turns the run would be over before the last of many kills.
  latencyMs: 50 + 6 * COUNTS.workerKills,
  faults: [slow([7, 19, 30]), { kind: 'hang', turns: [12], perTurn: 1 }],
});
let world: World;
let calm: { head: string; workspace: string | null };

const input = async () => ({
  problem: await tinyProblem(),
  student: 'student',
  expert: 'expert',
  handOver: { at: long.handOver },
  limits: { steps: steps + 5 },
  grade: false,
});

beforeAll(
  async () => {
    const profiles = {
      student: { ...long.profiles.student, timeoutSeconds: 5 },
      expert: { ...long.profiles.expert, timeoutSeconds: 5 },
    };
    world = await World.start({ script: long.script, profiles });
    calm = await resultOf(await world.begin('rollout', await input(), 'calm'));
  },
  minutes(3, 3),
);
afterAll(async () => {
  await world?.close();
});

test(
  'a worker killed at random points loses nothing and repeats nothing',
  async () => {
    const before = world.rehearsal.stats();
    const random = dice('worker-kill');
    const handle = await world.begin('rollout', await input(), 'killed');
    let kills = 0;
    for (let turn = 0; kills < COUNTS.workerKills && !(await ended(handle)); kills++) {
      // Mostly in the middle of things; every seventh kill falls on a worker that has barely come up.
      if (kills % 7 !== 6) turn = await pastTurn(handle, turn);
      await sleep(random() * (steps / (COUNTS.workerKills + 1) - 1) * 400);
      await world.killWorkers('SIGKILL');
      world.startWorker();
    }
    const result = await resultOf(handle);
    const { steps: chain } = await world.transcripts.load(result.head);
    const ran = chain.at(-2)!.observation.trim().split('\n').map(Number);
    const ledger = ledgerOf(world, handle.firstExecutionRunId);
    const requests = world.rehearsal.stats().requests - before.requests;
    figures('1 worker killed', {
      kills,
      steps: chain.length,
      head: result.head === calm.head ? 'same' : 'OTHER',
      ledger: ledger.length,
      calls: long.calls,
      requests,
      commands: ran.length,
    });
    expect(ran).toEqual(commandsOf(steps));
    expect(result).toMatchObject({ status: 'submitted', head: calm.head, workspace: calm.workspace });
    expect(kills).toBe(COUNTS.workerKills);
    expect(new Set(ledger).size).toBe(long.calls);
    expect(ledger).toHaveLength(long.calls);
    // Beyond the faults on the script, only a call that was in flight at a kill is asked again.
    expect(requests).toBeLessThanOrEqual(long.calls + kills + 4);
  },
  minutes(4, 40),
);
