import { CancellationScope, condition, defineUpdate, setHandler, workflowInfo } from '@temporalio/workflow';
import { SetConcurrency } from '../../contract';
import { checked } from './input';
import type { Steering } from './steering';

const setConcurrencyUpdate = defineUpdate<SetConcurrency, [SetConcurrency]>('setConcurrency');

/** What continue-as-new carries. */
export interface WindowState {
  /** First unit that was not begun; all before it are done whenever nothing is in flight. */
  next: number;
  /** Units in flight at once. */
  concurrency: number;
  paused: boolean;
}

/**
 * Why a window came to rest. `full`: the history is long enough, go on as a new run. `stopped`: `stop` was called, or what
 * holds it will not change. `abandoned`: a person ended it.
 */
export type Rest = 'done' | 'full' | 'stopped' | 'abandoned';

/** Why the owner lets nothing be begun for now. */
export interface Hold {
  /** Told to people; a hold that only paces has none. */
  readonly reason?: string;
  /** When to look again, in milliseconds since the epoch; without it whenever something changes. */
  readonly until?: number;
  /** Only a person can change it: the window stops when nothing is in flight any more. */
  readonly final?: boolean;
}

export interface WindowRules {
  /** Asked before each unit; undefined lets it begin. */
  hold?(): Hold | undefined;
  /** Units outlive the run that began them: when the history is full, the window does not wait for them. */
  readonly leaves?: boolean;
}

/**
 * Thousands of units of work with so many in flight at once. Units are numbers: what a unit is and what came of it is the
 * owner's to know, so that a window carries a few bytes from run to run. When it rests nothing is in flight, unless its
 * units outlive the run.
 *
 * A unit turns its own failures into results. One that throws all the same ends the window, after those beside it.
 * `setConcurrency` acts from the next unit on; pausing and parking are the steering's.
 */
export class SlidingWindow {
  private running = 0;
  private isStopped = false;
  private failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly state: WindowState,
    private readonly steering: Steering,
    private readonly rules: WindowRules = {},
  ) {
    steering.tellsAtOnce = true;
    setHandler(
      setConcurrencyUpdate,
      (given) => {
        state.concurrency = checked(SetConcurrency, given, 'setConcurrency').concurrency;
        return { concurrency: state.concurrency };
      },
      {
        description: '{"concurrency": 8}: units in flight at once, from the next one on.',
        validator: (given) => void checked(SetConcurrency, given, 'setConcurrency'),
      },
    );
  }

  get inFlight(): number {
    return this.running;
  }

  /** Begins no more units. For a unit that knows that all others would end as it did. */
  stop(): void {
    this.isStopped = true;
  }

  /** Does units from `state.next` up to `total`. On cancellation what is in flight is waited for, then it throws. */
  async run(total: number, work: (unit: number) => Promise<void>): Promise<Rest> {
    const { state } = this;
    this.steering.tellPaused();
    try {
      while (state.next < total && !this.atRest()) {
        await condition(() => this.mayBegin() || this.atRest());
        if (this.atRest()) break;
        const hold = this.rules.hold?.();
        if (hold) await this.holdBack(hold);
        else this.join(work(state.next++));
      }
      if (this.mayLeave(total)) return 'full';
      await condition(() => this.running === 0);
    } finally {
      if (!this.mayLeave(total)) await this.settled();
    }
    // Whoever abandons a window gives up what was in trouble in it.
    if (this.steering.abandoned) return 'abandoned';
    if (this.failure) throw this.failure.error;
    if (this.isStopped) return 'stopped';
    return state.next < total ? 'full' : 'done';
  }

  /** Counts work as in flight that an earlier run of the workflow began. */
  join(work: Promise<void>): void {
    this.running += 1;
    void work
      .catch((error: unknown) => {
        this.failure ??= { error };
      })
      .finally(() => {
        this.running -= 1;
      });
  }

  /** Waits, also in a cancelled workflow, until nothing is in flight. */
  async settled(): Promise<void> {
    await CancellationScope.nonCancellable(() => condition(() => this.running === 0));
  }

  private async holdBack({ reason, until, final }: Hold): Promise<void> {
    if (reason !== undefined) this.steering.phase.wait({ kind: 'held', reason });
    const changed = () => {
      if (this.atRest() || this.state.paused || (final && this.running === 0)) return true;
      const now = this.rules.hold?.();
      return now?.reason !== reason || now?.until !== until;
    };
    if (until === undefined) await condition(changed);
    else await condition(changed, Math.max(1, until - Date.now()));
    if (final && this.running === 0 && this.rules.hold?.()?.final) this.isStopped = true;
    if (this.steering.phase.waiting?.kind === 'held') this.steering.phase.wait(undefined);
  }

  private mayLeave(total: number): boolean {
    const ended = this.steering.abandoned || this.isStopped || this.failure !== undefined;
    const cancelled = CancellationScope.current().consideredCancelled;
    return this.rules.leaves === true && !ended && !cancelled && this.state.next < total;
  }

  private mayBegin(): boolean {
    return !this.state.paused && !this.steering.parked && this.running < this.state.concurrency;
  }

  private atRest(): boolean {
    return (
      this.steering.abandoned ||
      this.isStopped ||
      this.failure !== undefined ||
      workflowInfo().continueAsNewSuggested === true
    );
  }
}
