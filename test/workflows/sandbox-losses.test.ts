import { ActivityFailure, ApplicationFailure, RetryState, TimeoutFailure, TimeoutType } from '@temporalio/common';
import type { Steering } from '../../src/workflows/durable/steering';
import { SandboxLosses } from '../../src/workflows/setup/losses';

const failed = (cause: Error) =>
  new ActivityFailure('activity failed', 'any', '1', RetryState.NON_RETRYABLE_FAILURE, 'worker', cause);
const sandboxLost = failed(ApplicationFailure.nonRetryable('the container is gone', 'SandboxLost'));
const frameLost = failed(ApplicationFailure.nonRetryable('the frame is not on this host', 'FrameLost'));
const imageGone = failed(ApplicationFailure.nonRetryable('the image is not on this host', 'NotFound'));
const hostLost = failed(new TimeoutFailure('nobody took it', undefined, TimeoutType.SCHEDULE_TO_START));

/** Losses of a run whose `again` fails so often as it says; `abandon` is what a person sends to a parked one. */
function losses(...failures: Error[]) {
  const made: boolean[] = [];
  const parked: string[] = [];
  const park = async (reason: string) => {
    parked.push(reason);
  };
  const run = new SandboxLosses({ park, abandoned: false } as unknown as Steering, async (anew) => {
    made.push(anew);
    const failure = failures.shift();
    if (failure) throw failure;
  });
  return { run, made, parked };
}

const after =
  (...failures: Error[]) =>
  async () => {
    const failure = failures.shift();
    if (failure) throw failure;
    return 'done';
  };

test('a sandbox is made again on its host, and elsewhere once that is gone too', async () => {
  const { run, made, parked } = losses(hostLost);
  expect(await run.surviving(after(sandboxLost, sandboxLost))).toBe('done');
  expect(made).toEqual([false, true, false]);
  expect(parked).toEqual([]);
});

test('a host that is lost again and again parks the run, which then goes on elsewhere', async () => {
  const { run, made, parked } = losses(hostLost, hostLost);
  expect(await run.surviving(after(sandboxLost))).toBe('done');
  expect(made).toEqual([false, true, true]);
  expect(parked).toEqual(['cannot make the sandbox again: nobody took it']);
});

test('frames that were pruned are made anew from what was recorded, on a host that is there or is not', async () => {
  const { run, made } = losses();
  expect(await run.surviving(after(frameLost))).toBe('done');
  expect(made).toEqual([true]);
  const other = losses(frameLost);
  expect(await other.run.surviving(after(sandboxLost))).toBe('done');
  expect(other.made).toEqual([false, true]);
});

test('a base image that was pruned parks the run until a person has brought it back', async () => {
  const { run, made, parked } = losses(imageGone);
  expect(await run.surviving(after(frameLost))).toBe('done');
  expect(made).toEqual([true, true]);
  expect(parked).toEqual(['cannot make the sandbox again: the image is not on this host']);
});

test('losses that a command was to blame for leave the others their number', async () => {
  const { run } = losses();
  for (let command = 0; command < 5; command++) {
    await run.surviving(after(sandboxLost, sandboxLost, sandboxLost));
    run.blame(3);
  }
  await expect(run.surviving(after(...Array(11).fill(sandboxLost)))).rejects.toThrow('the container is gone');
});

test('a sandbox whose journal was tampered with is not made again: the same commands would do the same', async () => {
  const tampered = failed(ApplicationFailure.nonRetryable('a command has tampered with the journal', 'Tampered'));
  const { run, made, parked } = losses();
  await expect(run.surviving(after(tampered))).rejects.toMatchObject({ name: 'SandboxGone', status: 'tampered' });
  const other = losses(tampered);
  await expect(other.run.surviving(after(sandboxLost))).rejects.toMatchObject({ status: 'tampered' });
  expect([made, parked, other.made, other.parked]).toEqual([[], [], [false], []]);
});

test('a host that has said that it leaves is not waited for: the sandbox is made again elsewhere before it is used', async () => {
  const made: boolean[] = [];
  let left = true;
  const run = new SandboxLosses(
    { abandoned: false } as unknown as Steering,
    async (anew) => void made.push(anew),
    () => {
      if (!left) return;
      left = false;
      throw ApplicationFailure.nonRetryable('a has left', 'HostLost');
    },
  );
  expect(await run.surviving(after())).toBe('done');
  expect(made).toEqual([true]);
});
