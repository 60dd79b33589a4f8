import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import {
  CandidateOutcome,
  type EvaluationProgress,
  type EvaluationResult,
  type FunctionInstance,
} from '../../src/contract';
import { runCli } from '../cli/run-cli';
import { labelled, NOTHING } from '../support/chaos';
import { inFull, minutes } from '../support/counts';
import { PromptKeeper } from '../support/set-up';
import { textkitSolver } from '../support/solvers';
import { textkitInstances, textkitJsonl } from '../support/textkit';
import { World } from '../support/world';

const CLOSED = { kind: 'rejected', status: 401, message: 'no such key' };
const PRICE = { input: 1, output: 2 };

/** A model that begins with all that stands in the file, and gets no further. */
const CUT = {
  kind: 'answer',
  body: {
    id: 'cut',
    model: 'wordy',
    choices: [{ index: 0, finish_reason: 'length', message: { role: 'assistant', content: '```python\nNAMES = [' } }],
    usage: { prompt_tokens: 9, completion_tokens: 500, total_tokens: 509 },
  },
};

let world: World;
let keeper: PromptKeeper;
let problems: Awaited<ReturnType<World['blobs']['put']>>;
let instances: FunctionInstance[];

beforeAll(async () => {
  keeper = await PromptKeeper.start(() => world.rehearsal.url);
  const script = {
    models: { solver: textkitSolver, closed: { turns: [], faults: [CLOSED] }, wordy: { turns: [], faults: [CUT] } },
  };
  const profiles = {
    solver: { price: PRICE, maxOutputTokens: 500, baseUrl: keeper.url },
    closed: {},
    wordy: {},
  };
  world = await World.start({ script, profiles });
  instances = await textkitInstances();
  problems = await world.blobs.put(await textkitJsonl());
}, 240_000);
afterAll(async () => {
  await world?.close();
  await keeper?.close();
});

const evaluate = async (id: string, input: object): Promise<EvaluationResult> =>
  (await (await world.begin('evaluation', { problems, secondsPerCase: 3, ...input }, id)).result()) as EvaluationResult;
const text = async ({ sha256 }: { sha256: string }) => (await world.blobs.get(sha256)).toString('utf8');
const outcomesOf = async ({ candidates }: EvaluationResult): Promise<CandidateOutcome[]> =>
  (await text(candidates))
    .split('\n')
    .filter(Boolean)
    .map((line) => CandidateOutcome.parse(JSON.parse(line)));
const progressOf = (handle: WorkflowHandle) => handle.query<EvaluationProgress>('progress');

async function until(
  handle: WorkflowHandle,
  holds: (seen: EvaluationProgress) => boolean,
): Promise<EvaluationProgress> {
  for (let waited = 0; waited < 90_000; waited += 100) {
    const seen = await progressOf(handle).catch(() => undefined);
    if (seen && holds(seen)) return seen;
    await sleep(100);
  }
  throw new Error(`never: ${holds}; ${JSON.stringify(await progressOf(handle))}`);
}

test(
  'the machinery proves itself: the reference passes, a stub and mutants do not, and nothing is left behind',
  async () => {
    const oracle = await evaluate('oracle', { solver: 'builtin:oracle', samples: 1 });
    expect(oracle).toMatchObject({ status: 'complete', problems: 4, solved: 4, verdicts: { passed: 4 }, repair: null });
    expect(oracle.passAtK.map(({ k, estimate }) => [k, estimate.value, estimate.n])).toEqual([[1, 1, 4]]);
    const stub = await evaluate('stub', { solver: 'builtin:stub', samples: 1, repairs: 2 });
    expect(stub).toMatchObject({ solved: 0, verdicts: { raised: 4 }, repair: { tried: 0 } });
    expect(stub.passAtK[0]!.estimate.value).toBe(0);
    // Another mistake for each sample, as long as there are more.
    const mutants = await evaluate('mutant', {
      solver: 'builtin:mutant',
      samples: 2,
      only: ['textkit.numbers.ordinal'],
    });
    const codes = (await outcomesOf(mutants)).map(({ code }) => code!.sha256);
    expect(new Set(codes).size).toBe(2);
    expect(mutants.passAtK[0]!.estimate.value).toBe(0);
    expect(await labelled(`pointsman.scope=${await world.scope()}`)).toEqual(NOTHING);
  },
  minutes(4, 4),
);

test(
  'a reply that the output limit cut is said to be one, to people and to the model',
  async () => {
    const result = await evaluate('cut', {
      solver: 'wordy',
      samples: 1,
      repairs: 1,
      only: ['textkit.numbers.ordinal'],
    });
    const outcomes = await outcomesOf(result);
    expect(outcomes.map(({ verdict, detail }) => [verdict, detail])).toEqual(
      [0, 1].map(() => [
        'unreadable',
        'the reply holds no definition of ordinal; the output limit cut it (maxOutputTokens of the profile)',
      ]),
    );
  },
  minutes(4, 4),
);

test(
  'a model is asked, judged, and told what was seen until it is right',
  async () => {
    const result = await evaluate('repaired', { solver: 'solver', samples: 2, k: [1, 2], repairs: 3, planFirst: true });
    expect(result).toMatchObject({
      status: 'complete',
      solved: 1,
      verdicts: { passed: 2, different: 2, timeout: 2, unreadable: 2 },
      repair: { tried: 3, solvedAfter: [0, 1, 2, 2] },
    });
    expect(result.passAtK.map(({ estimate }) => estimate.value)).toEqual([0.25, 0.25]);
    const outcomes = await outcomesOf(result);
    expect(outcomes.map(({ problem, sample, repair, verdict }) => `${problem} ${sample} ${repair} ${verdict}`)).toEqual(
      [
        'textkit.numbers.label 0 0 timeout',
        'textkit.numbers.label 0 1 timeout',
        'textkit.numbers.label 0 2 timeout',
        'textkit.numbers.label 0 3 timeout',
        'textkit.numbers.label 1 0 timeout',
        'textkit.numbers.ordinal 0 0 different',
        'textkit.numbers.ordinal 0 1 different',
        'textkit.numbers.ordinal 0 2 passed',
        'textkit.numbers.ordinal 1 0 different',
        'textkit.words.Counter.add 0 0 unreadable',
        'textkit.words.Counter.add 0 1 passed',
        'textkit.words.Counter.add 1 0 unreadable',
        'textkit.words.camelize 0 0 passed',
        'textkit.words.camelize 1 0 passed',
      ],
    );
    // What a call cost is what the server counted, and the whole is the sum of the parts.
    expect(result.cost.usd).toBeCloseTo(
      outcomes.reduce((sum, { cost }) => sum + cost.usd, 0),
      10,
    );
    expect(outcomes.every(({ cost }) => cost.tokens > 0)).toBe(true);

    const conversations = keeper.prompts.filter(({ messages }) => messages[1]!.content.includes('`ordinal`'));
    const longest = conversations.find(({ messages }) => messages.length === 6)!;
    expect(longest.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
    expect(longest.messages[1]!.content).toMatch(/"Plan"/);
    expect(longest.messages[3]!.content).toMatch(/subject\(n\) for n in range\(0, 30\)[\s\S]*'0th'[\s\S]*'1st'/);
    // A seed for each sample, the sampling of the evaluation, and the reference in none of the prompts.
    const seeds = conversations.map((prompt) => (prompt as { seed?: number }).seed);
    expect(new Set(seeds).size).toBe(2);
    expect(conversations[0]).toMatchObject({ temperature: 0.2, top_p: 0.95 });
    for (const { reference, signature } of instances) {
      const body = reference.slice(signature.length).trim().split('\n')[0]!.trim();
      for (const prompt of keeper.prompts) expect(JSON.stringify(prompt.messages.slice(0, 2))).not.toContain(body);
    }
    expect(await text(result.report)).toContain('Of 3 problems that no first answer solved, 2 were solved.');
  },
  minutes(5, 5),
);

inFull(
  'a budget that is spent ends it with the candidates that there are; a new cap lets it go on',
  async () => {
    // One call is reserved at a prompt and 500 tokens of answer: about 0.0015 USD.
    const input = { solver: 'solver', samples: 5, concurrency: 1, only: ['textkit.words.camelize'], costUsd: 0.0025 };
    const spent = await evaluate('spent', input);
    expect(spent.status).toBe('budget_exhausted');
    const done = (await outcomesOf(spent)).length;
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(5);
    expect(spent.cost.usd).toBeLessThanOrEqual(0.0025);
    const handle = await world.begin('evaluation', { problems, ...input }, 'raised');
    await handle.executeUpdate('setBudget', { args: [{ costUsd: 1 }] });
    expect(await handle.result()).toMatchObject({ status: 'complete', verdicts: { passed: 5 } });
    const free = await world.begin('evaluation', { problems, solver: 'builtin:oracle', samples: 1 }, 'free');
    await expect(free.executeUpdate('setBudget', { args: [{ costUsd: 1 }] })).rejects.toThrow();
    await free.result();
  },
  minutes(3, 3),
);

inFull(
  'a person steers it: pause, another concurrency, resume, abandon; and cancel keeps what is done',
  async () => {
    const input = { problems, solver: 'builtin:oracle', samples: 30, concurrency: 1 };
    const handle = await world.begin('evaluation', input, 'steered');
    await until(handle, ({ done }) => done >= 1);
    await handle.executeUpdate('pause');
    const rested = await until(handle, ({ inFlight, paused }) => inFlight === 0 && paused);
    await handle.executeUpdate('setConcurrency', { args: [{ concurrency: 3 }] });
    await handle.executeUpdate('resume');
    await until(handle, ({ inFlight }) => inFlight === 3);
    await until(handle, ({ done }) => done > rested.done);
    await handle.executeUpdate('abandon');
    const abandoned = (await handle.result()) as EvaluationResult;
    expect(abandoned.status).toBe('abandoned');
    expect((await outcomesOf(abandoned)).every(({ passed }) => passed)).toBe(true);

    const cancelled = await world.begin('evaluation', { ...input, concurrency: 3 }, 'cancelled');
    await until(cancelled, ({ done }) => done >= 2);
    await cancelled.cancel();
    await expect(cancelled.result()).rejects.toThrow();
    const kept = (await cancelled.describe()).memo?.result as EvaluationResult;
    expect(kept.status).toBe('cancelled');
    expect((await outcomesOf(kept)).length).toBeGreaterThanOrEqual(2);
    expect(await labelled(`pointsman.scope=${await world.scope()}`)).toEqual(NOTHING);
  },
  minutes(4, 4),
);

test(
  'refusals of one candidate after another wait for a person; what cannot be evaluated is refused at once',
  async () => {
    const handle = await world.begin(
      'evaluation',
      { problems, solver: 'closed', samples: 2, concurrency: 1 },
      'refused',
    );
    await until(handle, ({ done }) => done === 3);
    await sleep(2_000);
    expect(await progressOf(handle)).toMatchObject({ done: 3, inFlight: 1 });
    await handle.executeUpdate('abandon');
    const result = (await handle.result()) as EvaluationResult;
    expect(result).toMatchObject({
      status: 'abandoned',
      verdicts: { unanswered: 3 },
      passAtK: [{ estimate: { n: 0 } }],
    });

    const refusals: [object, RegExp][] = [
      [
        { problems: join(world.home, 'no', 'file.jsonl'), solver: 'builtin:oracle' },
        /cannot be read on the worker's host \(ENOENT\)/,
      ],
      [
        { problems, solver: 'builtin:oracle', only: ['textkit.words.camelise'] },
        /did you mean "textkit.words.camelize"/,
      ],
      [{ problems, solver: 'slover' }, /no model profile "slover", did you mean "solver"/],
      [{ problems, solver: 'closed', costUsd: 1 }, /needs a price/],
      [{ problems, solver: 'builtin:oracle', samples: 2, k: [3] }, /no k may be larger/],
      [{ problems: await world.blobs.put('{"id": 3}\n'), solver: 'builtin:oracle' }, /line 1: id: .*expected string/],
    ];
    for (const [at, [input, message]] of refusals.entries()) {
      const refused = await world.begin('evaluation', input, `refusal-${at}`);
      const error = await refused.result().then(
        () => '',
        (failure: Error & { cause?: Error & { cause?: Error } }) =>
          `${failure.cause?.message} ${failure.cause?.cause?.message}`,
      );
      expect(error).toMatch(message);
    }
  },
  minutes(3, 3),
);

test(
  'the command line starts, waits, lists, shows and compares',
  async () => {
    const file = join(world.home, 'problems.jsonl');
    writeFileSync(file, await textkitJsonl());
    const { POINTSMAN_HOME, POINTSMAN_CONFIG, POINTSMAN_QUEUE, TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE } = world.env;
    const env = { POINTSMAN_HOME, POINTSMAN_CONFIG, POINTSMAN_QUEUE, TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE };
    const run = (...args: string[]) => runCli(args, { env: env as Record<string, string> });
    const json = async (...args: string[]) => {
      const { code, stdout, stderr } = await run('--json', ...args);
      return { code, stderr, answer: JSON.parse(stdout) };
    };
    const start = (solver: string, ...more: string[]) =>
      json('evaluation', 'start', '--problems', file, '--solver', solver, '--id', `cli-${solver.slice(8)}`, ...more);
    const only = ['--only', 'textkit.numbers.ordinal', '--samples', '2', '--k', '1,2'];
    const oracle = await start('builtin:oracle', ...only, '--wait');
    expect(oracle).toMatchObject({ code: 0, answer: { id: 'cli-oracle', status: 'complete', solved: 1 } });
    expect(oracle.stderr).toMatch(/by hand: .*workflow start --type evaluation/);
    expect(await start('builtin:stub', ...only, '--watch')).toMatchObject({ code: 0, answer: { solved: 0 } });

    const list = await json('evaluation', 'list', '--solver', 'builtin:oracle');
    const [newest] = list.answer.evaluations;
    expect(newest).toMatchObject({
      id: 'cli-oracle',
      outcome: 'complete',
      problems: 1,
      passAtK: [{ value: 1 }, { k: 2 }],
    });
    const shown = await run('evaluation', 'show', 'cli-stub');
    expect(shown.stdout).toMatch(/textkit\.numbers\.ordinal +0 in +0\/2 +0\.0 % +!!/);
    const candidates = await run('evaluation', 'show', 'cli-stub', '--problem', 'textkit.numbers.ordinal');
    expect(candidates.stdout).toMatch(
      /raised · 0 of 3 cases[\s\S]*case_small[\s\S]*NotImplementedError[\s\S]*│ def ordinal/,
    );
    expect((await run('evaluation', 'show', 'cli-stub', '--report')).stdout).toMatch(/^# Evaluation of builtin:stub/);
    const compared = await json('evaluation', 'compare', 'cli-stub', 'cli-oracle');
    expect(compared.answer.differences).toMatchObject([{ first: 0, second: 1, better: 1, worse: 0, leftOut: 0 }]);

    const wrong = await json('evaluation', 'start', '--problems', file, '--solver', 'builtin:oracle', '--k', '9');
    expect(wrong).toMatchObject({ code: 1, answer: { error: { code: 'InvalidInput' } } });
    expect((await json('evaluation', 'start', '--problems', 'no-such', '--solver', 's')).answer.error.message).toMatch(
      /no file .*no-such, and no build of that id/,
    );
    const missing = await json('evaluation', 'show', 'cli-stub', '--problem', 'textkit.numbers.ordinals');
    expect(missing.answer.error.message).toContain('did you mean "textkit.numbers.ordinal"?');
    const ended = await json('evaluation', 'pause', 'cli-stub');
    expect(ended).toMatchObject({ code: 1, answer: { error: { code: 'NotFound' } } });
  },
  minutes(4, 4),
);
