import { setTimeout as sleep } from 'node:timers/promises';
import { CandidateOutcome, type EvaluationResult } from '../../src/contract';
import { dice, ended, labelled, NOTHING } from '../support/chaos';
import { FULL, inFull, minutes } from '../support/counts';
import { figures } from '../support/figures';
import { textkitSolver } from '../support/solvers';
import { textkitJsonl } from '../support/textkit';
import { World } from '../support/world';

/** Events after which the server suggests to go on as a new run. */
const LONG = 200;
/** Of two functions, which an evaluation asks for 200 samples each at most. */
const CANDIDATES = FULL ? 400 : 60;
const TROUBLE = [{ kind: 'rateLimit', retryAfter: { ms: 200 }, probability: 0.4, seed: 3 }];

let world: World;
let problems: Awaited<ReturnType<World['blobs']['put']>>;

beforeAll(async () => {
  const script = { models: { solver: { ...textkitSolver, faults: TROUBLE } } };
  const serverConfig = [`limit.historyCount.suggestContinueAsNew=${LONG}`];
  world = await World.start({ script, profiles: { solver: { price: { input: 1, output: 2 } } }, serverConfig });
  problems = await world.blobs.put(await textkitJsonl());
}, 240_000);
afterAll(async () => {
  await world?.close();
});

const evaluate = async (id: string, input: object): Promise<EvaluationResult> =>
  (await (await world.begin('evaluation', { problems, ...input }, id)).result()) as EvaluationResult;
const outcomesOf = async ({ candidates }: EvaluationResult): Promise<CandidateOutcome[]> =>
  (await world.blobs.get(candidates.sha256))
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => CandidateOutcome.parse(JSON.parse(line)));

test(
  'a worker that is killed again and again changes no byte, and pays for no answer twice',
  async () => {
    const input = {
      secondsPerCase: 2,
      solver: 'solver',
      samples: 2,
      k: [1, 2],
      repairs: 2,
      concurrency: 3,
      costUsd: 5,
    };
    const calm = await evaluate('calm', input);
    const before = world.rehearsal.stats();
    const handle = await world.begin('evaluation', { problems, ...input }, 'killed');
    const random = dice('evaluation-kill');
    let kills = 0;
    for (; kills < (FULL ? 20 : 3) && !(await ended(handle)); kills++) {
      await sleep(1_500 + random() * 6_000);
      await world.killWorkers('SIGKILL');
      world.startWorker();
      await world.workerReady();
    }
    const killed = (await handle.result()) as EvaluationResult;
    const answered = (await outcomesOf(calm)).filter(({ reply }) => reply !== null).length;
    const { requests, faults } = world.rehearsal.stats();
    const refused = (faults.rateLimit ?? 0) - (before.faults.rateLimit ?? 0);
    figures('evaluation killed', {
      kills,
      candidates: killed.verdicts.passed ?? 0,
      requests: requests - before.requests,
      refused,
    });
    expect(kills).toBeGreaterThanOrEqual(2);
    expect({ ...killed, id: 'calm' }).toEqual(calm);
    // Beyond refusals, only a call that was in flight at a kill is asked again.
    expect(requests - before.requests - refused).toBeLessThanOrEqual(answered + kills * input.concurrency);
  },
  minutes(6, 20),
);

inFull(
  'many candidates: each once, histories that do not grow with them, and nothing left behind',
  async () => {
    const samples = CANDIDATES / 2;
    const only = ['textkit.numbers.ordinal', 'textkit.numbers.label'];
    const input = { problems, solver: 'builtin:oracle', only, samples, concurrency: 6 };
    const handle = await world.begin('evaluation', input, 'many');
    const result = (await handle.result()) as EvaluationResult;
    const lengths: number[] = [];
    for (let runId: string | undefined = handle.firstExecutionRunId; runId; ) {
      const { events } = await world.client.workflow.getHandle('many', runId).fetchHistory();
      lengths.push(events?.length ?? 0);
      runId = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
    }
    const outcomes = await outcomesOf(result);
    figures('evaluation of many', { candidates: outcomes.length, runs: lengths.length, longest: Math.max(...lengths) });
    expect(result).toMatchObject({ status: 'complete', verdicts: { passed: CANDIDATES } });
    expect(outcomes.map(({ problem, sample }) => `${problem} ${sample}`)).toEqual(
      [...only].sort().flatMap((id) => Array.from({ length: samples }, (_, sample) => `${id} ${sample}`)),
    );
    expect(lengths.length).toBeGreaterThan(2);
    // What is in flight at the suggestion is finished.
    expect(Math.max(...lengths)).toBeLessThan(LONG + 6 * 14 + 30);
    expect(await labelled(`pointsman.scope=${await world.scope()}`)).toEqual(NOTHING);
  },
  minutes(6, 60),
);
