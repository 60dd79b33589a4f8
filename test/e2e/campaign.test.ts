import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type {
  CampaignInput,
  CampaignProgress,
  CampaignResult,
  Problem,
  ProblemInitResult,
  RolloutRow,
} from '../../src/contract';
import { executionsOf, rowsIn } from '../support/campaign-runs';
import { type Case, chosenCases, initInput } from '../support/cases';
import { dice, ended, labelled, ledgerOf, NOTHING } from '../support/chaos';
import { FULL, minutes } from '../support/counts';
import { figures } from '../support/figures';
import { caseProblems, caseStages, type Expected, scriptedCampaign, tinyStages } from '../support/scripted-campaign';
import { World } from '../support/world';

/** Events after which the server suggests to go on as a new run: several times in a campaign. */
const LONG = 120;
/** In full over the recorded bug fixes, where they are; else over problems that take a second. */
const CASES = FULL ? chosenCases() : [];
const TINY = FULL ? 12 : 4;
const INSTANCES = CASES.length > 0 ? caseStages(CASES).length : TINY;
const EACH = FULL ? Math.ceil(300 / INSTANCES) : 4;
const PASSES: Record<string, number> = FULL ? { oec: EACH - 8, bc: 4, 'on-policy': 4 } : { oec: EACH - 2 };
const KILLS = FULL ? 12 : 3;

let world: World;
let asked: Pick<CampaignInput, 'problems' | 'methods'>;
let expected: Expected;

beforeAll(
  async () => {
    const tiny = await tinyStages(TINY);
    const stages = CASES.length > 0 ? caseStages(CASES) : tiny.stages;
    const campaign = scriptedCampaign(stages, PASSES);
    const serverConfig = [`limit.historyCount.suggestContinueAsNew=${LONG}`];
    world = await World.start({ script: campaign.script, profiles: campaign.profiles, serverConfig });
    asked = {
      ...campaign.input,
      problems: CASES.length > 0 ? caseProblems(stages, await madeOf(CASES)) : tiny.problems,
    };
    expected = campaign.expected;
  },
  minutes(4, 60),
);
afterAll(async () => {
  await world?.close();
});

test(
  'every figure is what the script says, although worker and server are killed; nothing is lost, nothing is done twice',
  async () => {
    const { firstExecutionRunId } = await world.begin('campaign', { ...asked, concurrency: 4 }, 'camp');
    // A server that is started again is another connection.
    const handle = () => world.client.workflow.getHandle('camp');
    const random = dice('campaign-kill');
    const since = Date.now();
    let kills = 0;
    // All along the way, each at another moment of what is going on.
    for (; kills < KILLS; kills++) {
      await doneOrEnded(handle, Math.floor((expected.rollouts * (kills + random())) / (KILLS + 1)));
      if (await ended(handle())) break;
      await sleep(random() * 3_000);
      if (kills === 1) {
        await world.killServer();
        await sleep(random() * 1_000);
        await world.startServer();
      }
      await world.killWorkers('SIGKILL');
      world.startWorker();
      await world.workerReady();
    }
    const result = (await handle().result()) as CampaignResult;
    const rows = await rowsIn(world, result);
    const { answered } = world.rehearsal.stats();
    const runs = await runsOf('camp', firstExecutionRunId);
    figures('campaign killed', {
      problems: CASES.length > 0 ? CASES.map(({ id }) => id).join(' ') : 'tiny',
      seconds: (Date.now() - since) / 1000,
      rollouts: rows.length,
      kills,
      runs,
      calls: expected.calls,
      answered,
    });

    expect(kills).toBeGreaterThanOrEqual(2);
    expect(result).toMatchObject({ status: 'complete', planned: expected.rollouts });
    expect(rows.map(({ id }) => id)).toEqual([...expected.each.keys()].map((id) => `camp/${id}`).sort(byPlan));
    const got = Object.fromEntries(rows.map((row) => [nameOf(row.id), seen(row)]));
    expect(got).toEqual(Object.fromEntries([...expected.each].map(([id, each]) => [id, wanted(each)])));
    for (const { method, funnel } of result.funnels) {
      const { stages, losses } = expected.funnels[method]!;
      expect(Object.fromEntries(funnel.stages.map(({ stage, count }) => [stage, count]))).toEqual(stages);
      expect(Object.fromEntries(funnel.losses.map(({ reason, count }) => [reason, count]))).toEqual(losses);
    }
    expect(result.counts).toEqual({
      ...{ finished: expected.rollouts, failed: 0, cancelled: 0, skipped: 0 },
      resolved: [...expected.each.values()].filter(({ resolved }) => resolved).length,
    });
    // Each rollout was begun once, and each of its calls is in the ledger once.
    const begun = await executionsOf(world, 'camp');
    expect([...begun.keys()].sort()).toEqual(rows.map(({ id }) => id).sort());
    for (const [id, { first, times }] of begun) {
      const calls = ledgerOf(world, first);
      const wanted = expected.each.get(nameOf(id))!.calls;
      expect([id, times, calls.length, new Set(calls).size]).toEqual([id, 1, wanted, wanted]);
    }
    // Only a call that was in flight at a kill is asked again.
    expect(answered).toBeGreaterThanOrEqual(expected.calls);
    expect(answered).toBeLessThanOrEqual(expected.calls + (kills + 1) * 4);
    expect(runs).toBeGreaterThan(1);
    expect(await labelled(`pointsman.scope=${await world.scope()}`)).toEqual(NOTHING);
  },
  minutes(10, 240),
);

function seen({ result, outcome }: RolloutRow) {
  return {
    outcome,
    status: result?.status,
    resolved: result?.resolved,
    expert: result?.turns.expert,
    k: result?.handOver.sampled,
  };
}

function wanted({ status, resolved, expertTurns, k }: ReturnType<Expected['each']['get']> & object) {
  return { outcome: 'finished', status, resolved, expert: expertTurns, k };
}

/** By method as it was given, then instance, then pass as a number. */
function byPlan(one: string, other: string): number {
  const [a, b] = [one, other].map((id) => id.split('/')) as [string[], string[]];
  const at = ([, method]: string[]) => asked.methods.findIndex(({ name }) => name === method);
  return at(a) - at(b) || (a[2]! < b[2]! ? -1 : a[2]! > b[2]! ? 1 : Number(a[3]) - Number(b[3]));
}

async function doneOrEnded(handle: () => WorkflowHandle, rollouts: number): Promise<void> {
  for (; !(await ended(handle())); await sleep(300)) {
    const asked = handle().query<CampaignProgress>('progress');
    const seen = await Promise.race([asked.catch(() => undefined), sleep(5_000, undefined)]);
    if (seen && seen.counts.finished >= rollouts) return;
  }
}

/** The problems of recorded bug fixes: sources fetched, images built, lists measured. */
async function madeOf(cases: readonly Case[]): Promise<Problem[]> {
  const made: Problem[] = [];
  for (const each of cases) {
    const handle = await world.begin('problemInit', initInput(each), `init/${each.id}`);
    const { problem } = (await handle.result()) as ProblemInitResult;
    made.push(JSON.parse((await world.blobs.get(problem.sha256)).toString('utf8')) as Problem);
  }
  return made;
}

const nameOf = (id: string) => id.split('/').slice(1).join('/');

async function runsOf(id: string, first: string): Promise<number> {
  let runs = 0;
  for (let runId: string | undefined = first; runId; runs++) {
    const { events } = await world.client.workflow.getHandle(id, runId).fetchHistory();
    runId = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
  return runs;
}
