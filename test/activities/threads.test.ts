import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RowAnswer, RowTask } from '../../src/activities/dataset/row-work';
import { Threads } from '../../src/activities/threads';
import { Config } from '../../src/config';
import { PointsmanError } from '../../src/contract';
import { FileBlobs } from '../../src/store/local/blobs';

const home = mkdtempSync(join(tmpdir(), 'pointsman-threads-'));
const threads = new Threads<RowTask, RowAnswer>('worker/row-thread', { config: Config.parse({}), home });
const blobs = new FileBlobs(join(home, 'blobs'));

afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A setting whose only page holds no row. */
async function settingOf(pages: number) {
  const lines = await blobs.put('');
  return blobs.put(JSON.stringify({ input: {}, pages: Array.from({ length: pages }, () => ({ lines, from: 1 })) }));
}

const { signal } = new AbortController();

test('what a thread throws arrives as it was thrown: its code decides whether it is tried again', async () => {
  const setting = { sha256: 'f'.repeat(64), bytes: 1 };
  const failed = threads.do({ setting, judge: 0 }, signal);
  await expect(failed).rejects.toBeInstanceOf(PointsmanError);
  await expect(failed).rejects.toMatchObject({ code: 'NotFound', hint: expect.stringContaining('POINTSMAN_HOME') });
});

test('answers come in the order of the tasks, and a failure in its place', async () => {
  const setting = await settingOf(5);
  const seen: number[] = [];
  const tasks = [0, 1, 2, 9, 4].map((judge) => ({ setting, judge }));
  const all = async () => {
    for await (const { lines } of threads.inOrder(tasks, signal)) seen.push(lines.length);
  };
  await expect(all()).rejects.toThrow('undefined');
  expect(seen).toEqual([0, 0, 0]);
});

test('an answer that comes while its task is being aborted ends nothing', async () => {
  const setting = await settingOf(1);
  for (let after = 0; after < 40; after++) {
    const stop = new AbortController();
    const asked = threads.do({ setting, judge: 0 }, stop.signal).catch((error: Error) => error.message);
    await sleep(after / 4);
    stop.abort(new Error('cancelled'));
    expect(['cancelled', { lines: [], passed: 0, left: [] }]).toContainEqual(await asked);
  }
}, 60_000);

test('an aborted task throws the reason of its signal, before it began and after', async () => {
  const setting = await settingOf(1);
  const stop = new AbortController();
  const asked = threads.do({ setting, judge: 0 }, stop.signal);
  stop.abort(new Error('cancelled'));
  await expect(asked).rejects.toThrow('cancelled');
  await expect(threads.do({ setting, judge: 0 }, stop.signal)).rejects.toThrow('cancelled');
  expect((await threads.do({ setting, judge: 0 }, signal)).lines).toEqual([]);
});
