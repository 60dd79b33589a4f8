import { continueAsNew, defineQuery, proxyActivities, setHandler } from '@temporalio/workflow';
import { Phase, type Waiting } from '../../src/workflows/durable/phase';
import { SlidingWindow, type WindowState } from '../../src/workflows/durable/sliding-window';
import { Steering } from '../../src/workflows/durable/steering';

export interface Windowed {
  readonly total: number;
  readonly window: WindowState;
  readonly done: number;
  readonly runs: number;
}

export interface WindowedNow {
  readonly inFlight: number;
  readonly done: number;
  readonly parked: boolean;
  /** What it said that it waits for, and `on` when it went on. */
  readonly said: readonly string[];
}

const { unit } = proxyActivities<{ unit(which: number): Promise<void> }>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 1 },
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
});
export const nowQuery = defineQuery<WindowedNow>('now');

/** Keeps what it is told; a bare server has no search attributes to publish it in. */
class Said extends Phase {
  constructor(
    private readonly said: string[],
    private readonly told: () => void,
  ) {
    super('Working', told);
  }

  override wait(waiting: Waiting | undefined): void {
    this.waiting = waiting;
    this.said.push(this.reason ?? 'on');
    this.told();
  }
}

/** The smallest owner of a window: it counts. A unit that fails is parked and tried again. */
export async function windowed(input: Windowed): Promise<{ rest: string; done: number; runs: number }> {
  const state = { ...input.window };
  let { done } = input;
  const said: string[] = [];
  // As every owner's does, it shows what it has in flight: an error where the window is not there yet.
  const phase = new Said(said, () => void window.inFlight);
  const steering = new Steering(state, phase);
  const window = new SlidingWindow(state, steering);
  steering.listen();
  setHandler(nowQuery, () => ({ inFlight: window.inFlight, done, parked: steering.parked, said }));
  const rest = await window.run(input.total, async (which) => {
    for (;;) {
      try {
        await unit(which);
        done += 1;
        return;
      } catch (error) {
        if ((error as { cause?: { type?: string } }).cause?.type !== 'Trouble') throw error;
        await steering.park(`unit ${which}`);
        if (steering.abandoned) return;
      }
    }
  });
  if (rest === 'full') return continueAsNew<typeof windowed>({ ...input, window: state, done, runs: input.runs + 1 });
  return { rest, done, runs: input.runs };
}
