import { ActivityFailure, ApplicationFailure, RetryState, TimeoutFailure, TimeoutType } from '@temporalio/common';
import { SandboxLosses } from '../../src/workflows/durable/sandbox-losses';
import type { Steering } from '../../src/workflows/durable/steering';

const failed = (cause: Error) =>
  new ActivityFailure('activity failed', 'any', '1', RetryState.NON_RETRYABLE_FAILURE, 'worker', cause);
const sandboxLost = failed(ApplicationFailure.nonRetryable('the container is gone', 'SandboxLost'));
const hostLost = failed(new TimeoutFailure('nobody took it', undefined, TimeoutType.SCHEDULE_TO_START));

/** Losses of a run whose `again` fails so often as it says; `abandon` is what a person sends to a parked one. */
function losses(...failures: Error[]) {
  const made: boolean[] = [];
  const parked: string[] = [];
  const park = async (reason: string) => {
    parked.push(reason);
  };
  const run = new SandboxLosses({ park, abandoned: false } as unknown as Steering, async (elsewhere) => {
    made.push(elsewhere);
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
