import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPython } from '@pointsman/python';
import type { WorkflowHandle } from '@temporalio/client';
import {
  FunctionInstance,
  type FunctionProblemsProgress,
  type FunctionProblemsResult,
  type Ref,
  RejectedFunction,
  type RolloutResult,
} from '../../src/contract';
import { pytestBundle } from '../../src/environments/harness/pytest-bundle';
import { rolloutProblem } from '../../src/problems/tables/rollout-problem';
import { runCli } from '../cli/run-cli';
import { dice, ended, labelled, NOTHING } from '../support/chaos';
import { FULL, inFull, minutes } from '../support/counts';
import { figures } from '../support/figures';
import { PromptKeeper } from '../support/set-up';
import { shopkit } from '../support/shopkit';
import { World } from '../support/world';

const KILLS = FULL ? 20 : 2;

const fence = (code: string) => ({ raw: `Here they are.\n\n\`\`\`python\n${code}\n\`\`\`\n` });

/** Fails on the function itself, because its author misspelt a name. */
const BROKEN = `def case_small(subject):
    return subject(currncy='EUR', cents=1)`;
/** Valid, and blind: whatever the function does with cents is never seen. */
const BLIND = `def case_nothing(subject):
    return [subject(0, currency) for currency in ('EUR', 'CHF', 'USD')]`;
const GOOD = `from pointsman_cases import call


def case_amounts(subject):
    return [subject(cents, currency) for cents in (0, 1, 94, 95, 1000) for currency in ('EUR', 'CHF', 'USD')]


def case_negative(subject):
    return call(subject, -1, 'CHF')`;
const PREDICTED = `def case_sum(subject):
    assert subject([1, 2, 3]) == 6


def case_francs(subject):
    assert subject([95, 190], 'CHF') == 300


def case_empty(subject):
    assert subject([]) == 0`;

const script = {
  models: {
    author: { turns: [fence(BROKEN), { raw: 'I see.' }, fence(BLIND), fence(GOOD)], end: 'repeat' },
    predictor: { turns: [fence(PREDICTED)], end: 'repeat' },
    solver: {
      dialect: 'tools',
      position: 'match',
      turns: [
        {
          tool: 'str_replace_editor',
          args: {
            command: 'str_replace',
            path: '/repo/shopkit/money.py',
            old_str: '    raise NotImplementedError\n',
            new_str: `    if not cents >= 0:
        raise ValueError(cents)
    return cents if currency == 'EUR' else (100 * cents) // RATES[currency]
`,
          },
        },
      ],
      end: 'submit',
    },
    lazy: { dialect: 'tools', turns: [], end: 'submit' },
  },
};

/** What the commands print, of all that is looked at here. */
interface Said extends FunctionProblemsResult {
  readonly problems: readonly object[];
  readonly builds: readonly object[];
  readonly reference: string;
}

let world: World;
let keeper: PromptKeeper;
let base: object;
/** From a build whose worker was killed. */
let built: FunctionProblemsResult;

beforeAll(
  async () => {
    keeper = await PromptKeeper.start(() => world.rehearsal.url);
    const tools = { view: { dialect: 'tools' } };
    const profiles = { author: { baseUrl: keeper.url }, predictor: {}, solver: tools, lazy: tools };
    world = await World.start({ script, profiles });
    base = {
      environment: await shopkit(),
      attempts: [{ author: 'builtin:recorded-calls' }],
      // The clock is no reason to leave a function out here: the repeats must find it.
      filters: { bodyWords: null },
    };
  },
  minutes(4, 4),
);
afterAll(async () => {
  await world?.close();
  await keeper?.close();
});

const text = async ({ sha256 }: Ref) => (await world.blobs.get(sha256)).toString('utf8');
const lines = async (ref: Ref): Promise<unknown[]> =>
  (await text(ref))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const instancesOf = async ({ instances }: FunctionProblemsResult) =>
  (await lines(instances)).map((each) => FunctionInstance.parse(each));
const build = async (id: string, input: object): Promise<FunctionProblemsResult> =>
  (await (await world.begin('functionProblems', { ...base, ...input }, id)).result()) as FunctionProblemsResult;
const dotted = ({ module, name }: { module: string; name: string }) => `${module}.${name}`;

/** Functions that were tried and are no problem, with the reason. */
async function left({ rejected }: FunctionProblemsResult): Promise<Record<string, string>> {
  const rows = (await lines(rejected)).map((each) => RejectedFunction.parse(each));
  return Object.fromEntries(
    rows.flatMap((row) => ('reasons' in row ? [[dotted(row.target), row.reasons.join('; ')]] : [])),
  );
}

test(
  'functions become problems, or are left out for the reason that is theirs, also when the worker is killed meanwhile',
  async () => {
    const random = dice('function-problems');
    const handle = await world.begin('functionProblems', { ...base }, 'killed');
    let kills = 0;
    for (let tried = 0; kills < KILLS && !(await ended(handle)); kills++) {
      tried = await past(handle, tried);
      await sleep(500 + random() * (FULL ? 4_000 : 12_000));
      await world.killWorkers('SIGKILL');
      world.startWorker();
    }
    built = (await handle.result()) as FunctionProblemsResult;
    figures('function problems, worker killed', { kills, admitted: built.admitted });
    expect(kills).toBeGreaterThanOrEqual(Math.min(KILLS, 2));
    const instances = await instancesOf(built);
    expect(
      instances.map(({ subject, outOfFile, harness }) => [dotted(subject.target), outOfFile, harness.author]),
    ).toEqual([
      ['shopkit.cart.Cart.add', true, 'builtin:recorded-calls'],
      ['shopkit.cart.total', true, 'builtin:recorded-calls'],
      ['shopkit.money.convert', false, 'builtin:recorded-calls'],
    ]);
    for (const { quality, expected, harness } of instances) {
      expect(quality).toMatchObject({ oracle: 1, stub: 0, repeats: 5, flaky: [] });
      expect(quality.branchCoverage).toBeGreaterThanOrEqual(0.8);
      expect(quality.mutationScore).toBeGreaterThanOrEqual(0.6);
      expect(expected).toHaveLength(harness.cases.length);
    }
    expect(await left(built)).toEqual({
      'shopkit.legacy.price_tag': expect.stringMatching(/no call that can be made again was seen/),
      'shopkit.money.discount': expect.stringMatching(/the share of killed mutants is \d+.*and 60 % are asked for/),
      'shopkit.ticket.ticket': 'no valid harness: it is not the same in every run',
    });
    const flaky = (await lines(built.rejected)).find((row) => JSON.stringify(row).includes('ticket-a-'));
    expect(flaky).toMatchObject({ attempts: [{ valid: false, failures: ['flaky'], quality: null }] });
    expect(built).toMatchObject({ tried: 6, admitted: 3, cost: { usd: 0, tokens: 0 } });
    expect(built.funnel.at(-1)!.left).toBe(6);
    expect(await labelled(`pointsman.scope=${await world.scope()}`)).toEqual(NOTHING);
  },
  minutes(15, 60),
);

// On a commit the command line builds one of them again, further below.
inFull(
  'all that is written is the same to the byte without a kill',
  async () => {
    const calm = await build('calm', {});
    // Read as values first, so that a difference is shown as one.
    for (const file of ['instances', 'rows'] as const)
      expect(await lines(built[file])).toEqual(await lines(calm[file]));
    expect(await text(built.report)).toBe(await text(calm.report));
    for (const file of ['instances', 'rows', 'report'] as const) expect(built[file].sha256).toBe(calm[file].sha256);
    // What a flaky function gave is quoted there, and is another number each time.
    expect(Object.keys(await left(built))).toEqual(Object.keys(await left(calm)));
  },
  minutes(10, 10),
);

test(
  'a model is told what came of its harness until it is admitted, and its predictions are kept as a baseline',
  async () => {
    const told = await build('author', {
      ...{ attempts: [{ author: 'author', context: 'sliced', repairs: 3 }], only: ['shopkit.money.convert'] },
    });
    const [convert] = await instancesOf(told);
    expect(told).toMatchObject({ tried: 1, admitted: 1 });
    expect(told.cost.tokens).toBeGreaterThan(0);
    expect(convert!.harness).toMatchObject({ author: 'author', cases: ['case_amounts', 'case_negative'] });
    const prompts = keeper.of('author');
    expect(prompts).toHaveLength(4);
    // It is shown what it depends on, and told of its error, of a reply without cases, and of what it did not notice.
    expect(prompts[0]).toContain("RATES = {'EUR': 100");
    expect(prompts[1]).toMatch(/case_small: .*currncy/);
    expect(prompts[2]).toMatch(/No cases could be read/);
    expect(prompts[3]).toMatch(/cents < 0/);

    const predicted = await build('predictor', {
      ...{ attempts: [{ author: 'predictor', mode: 'prediction', context: 'full' }], only: ['shopkit.cart.total'] },
    });
    const [total] = await instancesOf(predicted);
    expect(total!.harness).toMatchObject({ author: 'predictor', mode: 'prediction', context: 'full' });
    expect(total!.quality).toMatchObject({ oracle: 1, stub: 0 });
  },
  minutes(10, 10),
);

inFull(
  'a rollout attacks a problem at once: its own way of writing the function resolves it, doing nothing does not',
  async () => {
    const instance = (await instancesOf(built)).find(({ subject }) => subject.target.name === 'convert')!;
    const options = { moduleText: instance.moduleText, bundle: pytestBundle() };
    const folder = join(world.home, 'attack');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'problem.json'), JSON.stringify(rolloutProblem(await openPython(), instance, options)));
    const attack = async (student: string) =>
      (await (
        await world.begin('rollout', { problem: folder, student, handOver: { never: true } }, `attack-${student}`)
      ).result()) as RolloutResult;
    const solved = await attack('solver');
    expect(solved).toMatchObject({ status: 'submitted', resolved: true });
    const { passed, total } = solved.grade!.failToPass;
    expect([passed, total]).toEqual([instance.harness.cases.length, instance.harness.cases.length]);
    expect((await attack('lazy')).resolved).toBe(false);
  },
  minutes(6, 6),
);

test(
  'the command line builds, writes, reads and proves; a problem that was tampered with is found out',
  async () => {
    const env = Object.fromEntries(Object.entries(world.env).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])));
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await runCli(['function-problems', ...args, '--json'], { env });
      return { code, stderr, said: JSON.parse(stdout) as Said };
    };
    const { image, testCommand } = await shopkit();
    const out = join(world.home, 'out');
    const named = ['--image', image, '--test', testCommand!, '--only', 'shopkit.cart.total'];
    const ways = ['--attempts', 'builtin:recorded-calls', '--coverage', '90%', '--watch', '--out', out, '--id', 'cli'];
    const made = await run('build', ...named, ...ways);
    expect(made).toMatchObject({ code: 0, said: { id: 'cli', tried: 1, admitted: 1 } });
    expect(made.stderr).toMatch(/· building · 0 of 1 function/);
    const [listed, builds, reference, proved] = [
      await run('list', out),
      await run('list'),
      await run('show', 'cli', 'shopkit.cart.total', '--reference'),
      await run('check', out, '--only', 'shopkit.cart.total'),
    ];
    expect(listed.said.problems).toMatchObject([{ outOfFile: true, author: 'builtin:recorded-calls' }]);
    expect(builds.said.builds).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: 'cli', status: 'completed', outcome: '1 admitted' })]),
    );
    expect(reference.said.reference).toContain('cents += convert(price, currency)');
    expect(proved).toMatchObject({ code: 0, said: { proved: true, problems: [{ proved: true }] } });

    const [total] = await instancesOf(made.said);
    expect(total).toEqual((await instancesOf(built)).find(({ id }) => id === total!.id));
    const [first] = total!.expected as { value: unknown }[];
    first!.value = { t: 'int', v: '41' };
    const bent = join(world.home, 'bent.jsonl');
    writeFileSync(bent, `${JSON.stringify(total)}\n`);
    const refuted = await run('check', bent);
    expect(refuted.code).toBe(3);
    expect(refuted.said.problems).toMatchObject([{ proved: false, oracle: { verdict: 'different' } }]);
  },
  minutes(8, 8),
);

/** Waits until more functions are done than before, or the build is at work at all. */
async function past(handle: WorkflowHandle, tried: number): Promise<number> {
  for (let waited = 0; waited < 300_000 && !(await ended(handle)); waited += 100) {
    const progress = await handle.query<FunctionProblemsProgress>('progress').catch(() => undefined);
    if (progress && (progress.tried > tried || (tried === 0 && progress.working.length > 0))) return progress.tried;
    await sleep(100);
  }
  return tried;
}
