import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { WorkflowHandleWithFirstExecutionRunId as WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { Worker, type WorkflowBundle } from '@temporalio/worker';
import { FULL, minutes } from '../support/counts';
import { figures } from '../support/figures';
import type { World } from '../support/world';
import type { Windowed, WindowedNow } from './windowed';
import { startWindows, type Windows } from './windows';

/** Events after which the server suggests to go on as a new run. */
const LONG = 400;
const UNITS = FULL ? 10_000 : 2_000;

let world: World;
let bundle: WorkflowBundle;
let windows: Windows;
/** Times that each unit was done, and how many were at once. */
let times = new Map<number, number>();
let [atOnce, most] = [0, 0];
/** What a unit does; replaced by tests. */
let behave: (which: number) => Promise<void> = async () => {};

async function unit(which: number): Promise<void> {
  most = Math.max(most, ++atOnce);
  try {
    await behave(which);
    times.set(which, (times.get(which) ?? 0) + 1);
  } finally {
    atOnce -= 1;
  }
}

beforeAll(async () => {
  windows = await startWindows(unit, [`limit.historyCount.suggestContinueAsNew=${LONG}`]);
  ({ world, bundle } = windows);
});
afterAll(() => windows?.stop());
beforeEach(() => {
  times = new Map();
  most = 0;
  behave = async () => {};
});

const begin = (id: string, total: number, concurrency: number): Promise<WorkflowHandle> =>
  world.begin(
    'windowed',
    { total, window: { next: 0, concurrency, paused: false }, done: 0, runs: 1 } satisfies Windowed,
    id,
  );
const now = (handle: WorkflowHandle) => handle.query<WindowedNow>('now');

async function until(handle: WorkflowHandle, holds: (seen: WindowedNow) => boolean): Promise<WindowedNow> {
  for (let waited = 0; waited < 20_000; waited += 20) {
    const seen = await now(handle);
    if (holds(seen)) return seen;
    await sleep(20);
  }
  throw new Error(`never: ${holds}; ${JSON.stringify(await now(handle))}`);
}

test(
  'thousands of units: each done once, never more at once than allowed, and no run grows long',
  async () => {
    behave = () => sleep(15);
    const handle = await begin('thousands', UNITS, 8);
    const result = (await handle.result()) as { rest: string; done: number; runs: number };
    const histories = [];
    // Visibility may lag behind by a moment: the runs are read off their own histories, from first to last.
    for (let runId: string | undefined = handle.firstExecutionRunId; runId; ) {
      const history = await world.client.workflow.getHandle('thousands', runId).fetchHistory();
      histories.push(history);
      runId = history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
    }
    const longest = Math.max(...histories.map(({ events }) => events?.length ?? 0));
    figures('sliding window', { units: UNITS, runs: histories.length, longest, most });
    expect(result).toEqual({ rest: 'done', done: UNITS, runs: histories.length });
    expect([...times.values()].every((each) => each === 1)).toBe(true);
    expect(times.size).toBe(UNITS);
    expect(most).toBe(8);
    expect(histories.length).toBeGreaterThan(UNITS / LONG);
    expect(longest).toBeLessThan(LONG * 1.5);
    for (const history of [histories[0]!, histories.at(-1)!])
      await Worker.runReplayHistory({ workflowBundle: bundle }, history, 'thousands');
  },
  minutes(3, 15),
);

test('pause, resume and another concurrency act between units', async () => {
  behave = () => sleep(30);
  const handle = await begin('steered', 400, 2);
  await until(handle, ({ done }) => done >= 4);
  await handle.executeUpdate('pause');
  const rested = await until(handle, ({ inFlight }) => inFlight === 0);
  await sleep(300);
  expect((await now(handle)).done).toBe(rested.done);
  expect(most).toBe(2);
  await handle.executeUpdate('setConcurrency', { args: [{ concurrency: 12 }] });
  await handle.executeUpdate('resume');
  await until(handle, ({ inFlight }) => inFlight === 12);
  expect((await now(handle)).said).toEqual(['paused', 'on']);
  await expect(handle.executeUpdate('setConcurrency', { args: [{ concurrency: 0 }] })).rejects.toThrow();
  await handle.executeUpdate('abandon');
  const { rest, done } = (await handle.result()) as { rest: string; done: number };
  expect(rest).toBe('abandoned');
  expect(done).toBe(times.size);
  expect(done).toBeLessThan(400);
});

test('trouble parks the window until it is mended; what is abandoned in trouble ends', async () => {
  let broken = true;
  behave = async (which) => {
    if (broken && which >= 3) throw ApplicationFailure.nonRetryable('the disk is full', 'Trouble');
  };
  const handle = await begin('parked', 30, 4);
  const seen = await until(handle, ({ parked, done }) => parked && done === 3);
  expect(seen.inFlight).toBeLessThanOrEqual(4);
  await sleep(200);
  expect((await now(handle)).done).toBe(3);
  broken = false;
  await handle.executeUpdate('resume');
  expect(await handle.result()).toEqual({ rest: 'done', done: 30, runs: 1 });
  expect([...times.values()].every((each) => each === 1)).toBe(true);

  broken = true;
  const given = await begin('given-up', 30, 4);
  await until(given, ({ parked }) => parked);
  await given.executeUpdate('abandon');
  expect(await given.result()).toMatchObject({ rest: 'abandoned', done: 3 });
});

test('a unit that throws ends the window after those beside it', async () => {
  const finished: number[] = [];
  behave = async (which) => {
    if (which === 2) throw ApplicationFailure.nonRetryable('a defect', 'Defect');
    await sleep(200);
    finished.push(which);
  };
  const handle = await begin('thrown', 30, 4);
  await expect(handle.result()).rejects.toThrow();
  expect(finished.sort()).toEqual([0, 1, 3]);
});

test('a cancelled window waits for what is in flight', async () => {
  let ended = 0;
  behave = async () => {
    const { cancelled } = Context.current();
    const beat = setInterval(() => Context.current().heartbeat(), 200);
    await cancelled.catch(() => sleep(500)).finally(() => clearInterval(beat));
    ended += 1;
    throw new CancelledFailure('gone');
  };
  const handle = await begin('cancelled', 30, 3);
  await until(handle, ({ inFlight }) => inFlight === 3);
  await sleep(300);
  await handle.cancel();
  await expect(handle.result()).rejects.toThrow();
  expect(ended).toBe(3);
  expect((await handle.describe()).status.name).toBe('CANCELLED');
});
