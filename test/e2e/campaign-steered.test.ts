import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type { CampaignProgress, CampaignResult, Problem } from '../../src/contract';
import { runCli } from '../cli/run-cli';
import { executionsOf, rowsIn, untilProgress } from '../support/campaign-runs';
import { ended, labelled, ledgerOf, NOTHING } from '../support/chaos';
import { inFull, minutes } from '../support/counts';
import { figures } from '../support/figures';
import { scriptedCampaign, tinyStages } from '../support/scripted-campaign';
import { World } from '../support/world';

const STUDENT = { name: 'on-policy', student: 'student', handOver: { never: true } };
const EXPERT = { name: 'bc', expert: 'expert', handOver: { at: 0 } };

let world: World;
let problems: Problem[];

beforeAll(async () => {
  const tiny = await tinyStages(3);
  const { script, profiles } = scriptedCampaign(tiny.stages, {});
  problems = tiny.problems;
  world = await World.start({
    script,
    profiles: { ...profiles, free: { model: 'student', view: { dialect: 'xml' } } },
  });
}, 240_000);
afterAll(async () => {
  await world?.close();
});
afterEach(() => world.control({ latencyMs: 0 }));

/** The first problem's student solves it in four turns, and its expert in three. */
const begin = (id: string, more: object) =>
  world.begin('campaign', { problems, only: ['tiny-0'], methods: [EXPERT], ...more }, id);
const resultOf = async (handle: WorkflowHandle) => (await handle.result()) as CampaignResult;
const rested = ({ inFlight }: CampaignProgress) => inFlight.length === 0;

test(
  'pause, resume, another concurrency and a rate act while it runs; what is abandoned ends with a row for every rollout',
  async () => {
    await world.control({ latencyMs: 400 });
    const handle = await begin('steered', { passes: 12, concurrency: 1 });
    await untilProgress(handle, ({ counts }) => counts.finished >= 1);
    await handle.executeUpdate('pause');
    const still = await untilProgress(handle, rested);
    expect(still).toMatchObject({ paused: true, waiting: 'paused', concurrency: 1 });
    await sleep(1_500);
    expect((await untilProgress(handle, rested)).begun).toBe(still.begun);
    await handle.executeUpdate('setConcurrency', { args: [{ concurrency: 3 }] });
    await handle.executeUpdate('resume');
    await untilProgress(handle, ({ inFlight }) => inFlight.length === 3);
    await handle.executeUpdate('setRate', { args: [{ startsPerMinute: 20 }] });
    const slowed = Date.now();
    await untilProgress(handle, ({ begun }) => begun >= still.begun + 6);
    await expect(handle.executeUpdate('setRate', { args: [{ startsPerMinute: 0 }] })).rejects.toThrow();
    await handle.executeUpdate('abandon');
    const result = await resultOf(handle);
    const begun = await startsOf(handle);
    // Three seconds between two of them from the moment on that there was a rate.
    const later = begun.filter((at) => at > slowed + 500);
    const gaps = later.slice(1).map((at, i) => at - later[i]!);
    expect(gaps.length).toBeGreaterThan(0);
    expect(Math.min(...gaps)).toBeGreaterThan(2_800);

    const rows = await rowsIn(world, result);
    expect(result.status).toBe('abandoned');
    expect(rows.map(({ pass }) => pass)).toEqual(Array.from({ length: 12 }, (_, pass) => pass));
    const skipped = rows.filter(({ outcome }) => outcome === 'skipped');
    expect(skipped.every((row) => row.skipped === 'abandoned' && row.result === null)).toBe(true);
    expect(result.counts).toMatchObject({ finished: begun.length, skipped: 12 - begun.length });
    expect(skipped.length).toBe(12 - begun.length);
  },
  minutes(4, 4),
);

test(
  'a budget holds, for the day and in all, and can be changed while it runs; caps leave a reason',
  async () => {
    const daily = await begin('daily', { passes: 4, concurrency: 1, budget: { dailyUsd: 0.000_01 } });
    const held = await untilProgress(daily, ({ waiting }) => waiting !== undefined);
    expect(held.waiting).toMatch(/^today's \$0\.00001 are used up; goes on at \d{4}-\d\d-\d\d 00:00 UTC$/);
    expect(held).toMatchObject({ begun: 1, counts: { finished: 1 } });
    expect(held.todayUsd).toBeGreaterThan(0.000_01);
    expect(await timerEnd(daily)).toBeCloseTo(nextMidnight(), -4);
    await daily.executeUpdate('setBudget', { args: [{ dailyUsd: null, totalUsd: 1 }] });
    const rich = await resultOf(daily);
    expect(rich).toMatchObject({ status: 'complete', counts: { finished: 4, resolved: 4 } });

    // Enough for one rollout and some more.
    const totalUsd = (rich.cost.usd / 4) * 1.5;
    const poor = await resultOf(await begin('poor', { passes: 6, concurrency: 1, budget: { totalUsd } }));
    expect(poor.status).toBe('budget_exhausted');
    expect(poor.cost.usd).toBeLessThanOrEqual(totalUsd);
    const rows = await rowsIn(world, poor);
    expect(rows.map(({ result, skipped }) => skipped ?? result?.status)).toEqual([
      ...['submitted', 'budget_exhausted'],
      ...Array.from({ length: 4 }, () => 'budget_exhausted'),
    ]);

    const capped = await resultOf(await begin('capped', { passes: 4, concurrency: 1, resolvedPerInstance: 2 }));
    expect((await rowsIn(world, capped)).map(({ skipped }) => skipped)).toEqual([
      ...[undefined, undefined],
      ...['instance_cap', 'instance_cap'],
    ]);
    expect(capped).toMatchObject({ status: 'complete', counts: { finished: 2, resolved: 2, skipped: 2 } });
  },
  minutes(4, 4),
);

async function askedModel(rollout: string): Promise<boolean> {
  const { events } = await world.client.workflow.getHandle(rollout).fetchHistory();
  const types = events?.map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
  return types?.includes('takeTurn') ?? false;
}

test(
  'cancelled, it cancels what is in flight and still says all; begun again, it goes on with what there is',
  async () => {
    await world.control({ latencyMs: 700 });
    const handle = await begin('again', { passes: 6, concurrency: 2 });
    await untilProgress(handle, ({ counts, inFlight }) => counts.finished >= 1 && inFlight.length === 2);
    await sleep(1_000);
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    const described = await handle.describe();
    expect(described.status.name).toBe('CANCELLED');
    const cancelled = described.memo?.result as CampaignResult;
    const rows = await rowsIn(world, cancelled);
    const { counts } = cancelled;
    expect(cancelled).toMatchObject({ status: 'cancelled', planned: 6 });
    expect(counts.cancelled).toBeGreaterThanOrEqual(1);
    expect(counts.finished + counts.cancelled + counts.skipped).toBe(6);
    const spent = rows.reduce((sum, { result }) => sum + (result?.cost.usd ?? 0), 0);
    expect(cancelled.cost.usd).toBeCloseTo(spent, 9);
    for (const { id, outcome, result } of rows) {
      // Only one that had not come to its first turn has nothing to say.
      if (outcome === 'cancelled' && result === null) expect([id, await askedModel(id)]).toEqual([id, false]);
    }
    const before = await executionsOf(world, 'again');
    await untilNothingIsLeft();

    await world.control({ latencyMs: 0 });
    // Another number of passes and at once is still the same campaign.
    const whole = await resultOf(await begin('again', { passes: 7, concurrency: 4 }));
    expect(whole).toMatchObject({ status: 'complete', counts: { finished: 7, cancelled: 0, skipped: 0, resolved: 7 } });
    const after = await executionsOf(world, 'again');
    for (const { id, outcome } of rows) {
      const times = { finished: 1, cancelled: 2, skipped: 1, failed: 0 }[outcome];
      expect([id, after.get(id)?.times]).toEqual([id, times]);
      if (outcome === 'finished') expect(after.get(id)!.first).toBe(before.get(id)!.first);
    }
    await untilNothingIsLeft();
  },
  minutes(4, 4),
);

inFull(
  'terminated, its rollouts go on; begun again, it takes them as they are and pays for nothing twice',
  async () => {
    await world.control({ latencyMs: 1_500 });
    const handle = await begin('gone', { passes: 4, concurrency: 2, methods: [STUDENT] });
    await untilProgress(handle, ({ inFlight }) => inFlight.length === 2);
    await sleep(1_500);
    await handle.terminate('as if by accident');
    const again = await begin('gone', { passes: 4, concurrency: 2, methods: [STUDENT] });
    await untilProgress(again, ({ inFlight }) => inFlight.length === 2);
    // Those that it found are steered with it: they are cancelled when it is.
    await world.control({ latencyMs: 100 });
    const result = await resultOf(again);
    expect(result).toMatchObject({ status: 'complete', counts: { finished: 4, resolved: 4, failed: 0 } });
    const executions = await executionsOf(world, 'gone');
    expect([...executions.values()].map(({ times }) => times)).toEqual([1, 1, 1, 1]);
    for (const { first } of executions.values()) expect(ledgerOf(world, first)).toHaveLength(4);

    // The same id with other input: what is there is not taken for what was asked.
    const other = await resultOf(await begin('gone', { passes: 4, methods: [STUDENT], seed: 5 }));
    expect(other.counts).toMatchObject({ finished: 0, failed: 4 });
    const [row] = await rowsIn(world, other);
    expect(row!.error).toMatch(/made from other input: start the campaign under another id/);
  },
  minutes(4, 4),
);

inFull(
  'cancelling reaches rollouts that an earlier campaign began; one that is terminated is a row',
  async () => {
    await world.control({ latencyMs: 20_000 });
    const methods = [STUDENT];
    const tenant = { key: 'lab', weight: 2 };
    const first = await begin('taken', { passes: 2, concurrency: 2, methods, tenant, priority: 2 });
    const { inFlight } = await untilProgress(first, (seen) => seen.inFlight.length === 2);
    await sleep(1_000);
    const child = await world.client.workflow.getHandle(inFlight[0]!.id).describe();
    expect(child.priority).toMatchObject({ priorityKey: 2, fairnessKey: 'lab', fairnessWeight: 2 });
    await first.terminate();
    const again = await begin('taken', { passes: 2, concurrency: 2, methods, tenant, priority: 2 });
    await untilProgress(again, (seen) => seen.inFlight.length === 2);
    await sleep(1_000);
    await world.client.workflow.getHandle(inFlight[1]!.id).terminate();
    const since = Date.now();
    await untilProgress(again, ({ counts }) => counts.failed === 1);
    figures('a terminated rollout is noticed', { seconds: (Date.now() - since) / 1000 });
    await again.cancel();
    await expect(again.result()).rejects.toThrow();
    const result = (await again.describe()).memo?.result as CampaignResult;
    const outcomes = (await rowsIn(world, result)).map(({ outcome, error }) => [outcome, error]);
    expect(outcomes).toEqual([
      ['cancelled', undefined],
      ['failed', 'terminated'],
    ]);
    for (const { id } of inFlight) expect(await ended(world.client.workflow.getHandle(id))).toBe(true);
  },
  minutes(4, 4),
);

test(
  'what is wrong is refused before anything starts, naming where',
  async () => {
    const [problem] = problems;
    const lines = (...each: unknown[]) => world.blobs.put(each.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const refusals: [object, RegExp][] = [
      [{ problems: join(world.home, 'no', 'problems.jsonl') }, /nothing at .*no\/problems\.jsonl/],
      [{ problems: '/etc/hostname' }, /is no path that a workflow may have read here/],
      [{ problems: await lines(problem, { ...problem, id: 'other', workdir: '/' }) }, /line 2: .*workdir/],
      [{ problems: await lines(problem, problem) }, /line 2: .*line 1 has the same id tiny-0/],
      [{ problems: await world.blobs.put('{"id": \n') }, /line 1: not JSON/],
      [{ problems: await lines({ instance_id: 'x', test_patch: '' }) }, /line 1: of no known format/],
      [{ only: ['tiny-9'] }, /only: no problem "tiny-9", did you mean "tiny-0"/],
      [{ methods: [{ ...STUDENT, student: 'studnet' }] }, /no model profile "studnet", did you mean "student"/],
      [{ methods: [{ ...STUDENT, handOver: { uniform: [0, 3] } }] }, /methods\.0\.expert: a profile name is needed/],
      [{ methods: [EXPERT, EXPERT] }, /two methods have the same name/],
      [{ methods: [{ ...STUDENT, student: 'free' }], budget: { totalUsd: 1 } }, /price/],
    ];
    for (const [at, [input, message]] of refusals.entries()) {
      const error = await (await begin(`refused-${at}`, input)).result().then(
        () => '',
        (failure: Error & { cause?: Error & { cause?: Error } }) =>
          `${failure.cause?.message} ${failure.cause?.cause?.message}`,
      );
      expect(error).toMatch(message);
    }
    const unpriced = await begin('unpriced', { methods: [{ ...STUDENT, student: 'free' }] });
    await untilProgress(unpriced, ({ planned }) => planned > 0);
    const refused = unpriced.executeUpdate('setBudget', { args: [{ totalUsd: 1 }] });
    await expect(refused).rejects.toMatchObject({ cause: { message: expect.stringMatching(/free has no price/) } });
    await unpriced.result();
  },
  minutes(3, 3),
);

test(
  'the command line starts, watches, steers, lists, shows and exports',
  async () => {
    const file = join(world.home, 'problems.jsonl');
    writeFileSync(file, problems.map((problem) => `${JSON.stringify(problem)}\n`).join(''));
    const { POINTSMAN_HOME, POINTSMAN_CONFIG, POINTSMAN_QUEUE, TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE } = world.env;
    const env = { POINTSMAN_HOME, POINTSMAN_CONFIG, POINTSMAN_QUEUE, TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE };
    const run = (...args: string[]) => runCli(args, { env: env as Record<string, string> });
    const json = async (...args: string[]) => {
      const { code, stdout, stderr } = await run('--json', ...args);
      return { code, stderr, answer: JSON.parse(stdout) };
    };
    const methods = ['--methods', 'oec,bc', '--student', 'student', '--expert', 'expert', '--hand-over', '0..2'];
    const start = ['campaign', 'start', '--problems', file, '--only', 'tiny-0', ...methods, '--passes', '2'];
    const watched = await json(...start, '--id', 'cli', '--watch');
    expect(watched).toMatchObject({ code: 0, answer: { id: 'cli', status: 'complete', planned: 4 } });
    expect(watched.stderr).toMatch(/by hand: .*workflow start --type campaign[\s\S]*· .*in flight of 4/);
    const { answer } = await json('campaign', 'list');
    expect(answer.campaigns[0]).toMatchObject({ id: 'cli', outcome: 'complete', methods: ['oec', 'bc'], planned: 4 });
    const shown = await run('campaign', 'show', 'cli');
    expect(shown.stdout).toMatch(/bc +oec +all\nplanned +2 +2 +4\nstarted +2 +2 +4[\s\S]*passed +2 +2 +4/);
    expect(shown.stdout.split('\n').every((line) => line.length <= 80 || /^(rollouts|UI) /.test(line))).toBe(true);
    const out = join(world.home, 'out', 'rollouts.jsonl');
    expect((await json('campaign', 'export', 'cli', '--out', out)).answer).toMatchObject({ rows: 4, file: out });

    await world.control({ latencyMs: 1_500 });
    const slow = await json(...start.slice(0, -1), '8', '--id', 'slow', '--concurrency', '2');
    expect(slow.answer.id).toBe('slow');
    const handle = world.client.workflow.getHandle('slow');
    await untilProgress(handle, ({ inFlight }) => inFlight.length === 2);
    expect((await json('campaign', 'pause', 'slow', '--in-flight')).answer).toMatchObject({ inFlight: 2 });
    expect((await json('campaign', 'rate', 'slow', '30')).answer).toMatchObject({ startsPerMinute: 30 });
    expect((await json('campaign', 'budget', 'slow', '--total', '5')).answer).toMatchObject({
      budget: { totalUsd: 5 },
    });
    expect((await json('campaign', 'show', 'slow')).answer).toMatchObject({
      status: 'running',
      progress: { paused: true },
    });
    expect((await json('campaign', 'resume', 'slow', '--in-flight')).answer).toMatchObject({ inFlight: 2 });
    expect((await json('campaign', 'cancel', 'slow')).answer).toMatchObject({ cancelled: true });
    await expect(handle.result()).rejects.toThrow();
    expect((await json('campaign', 'show', 'slow')).answer).toMatchObject({ result: { status: 'cancelled' } });
    expect(await json('campaign', 'pause', 'slow')).toMatchObject({ code: 1, answer: { error: { code: 'NotFound' } } });
    const wrong = await json('campaign', 'start', '--problems', file, '--methods', 'oec', '--student', 'student');
    expect(wrong.answer.error.message).toMatch(/--methods oec: --expert is needed/);
  },
  minutes(5, 5),
);

/** Times at which rollouts were begun, by the history. */
async function startsOf(handle: WorkflowHandle): Promise<number[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? [])
    .filter(({ startChildWorkflowExecutionInitiatedEventAttributes: start }) => start)
    .map(({ eventTime }) => Number(eventTime?.seconds) * 1000 + Number(eventTime?.nanos ?? 0) / 1e6);
}

/** When the newest timer ends. */
async function timerEnd(handle: WorkflowHandle): Promise<number> {
  const { events } = await handle.fetchHistory();
  const timer = events?.findLast(({ timerStartedEventAttributes }) => timerStartedEventAttributes);
  const { startToFireTimeout } = timer!.timerStartedEventAttributes!;
  return (Number(timer!.eventTime?.seconds) + Number(startToFireTimeout?.seconds)) * 1000;
}

function nextMidnight(): number {
  return (Math.floor(Date.now() / 86_400_000) + 1) * 86_400_000;
}

async function untilNothingIsLeft(): Promise<void> {
  expect(await labelled(`pointsman.scope=${await world.scope()}`)).toEqual(NOTHING);
}
