import { condition, defineUpdate, patched, setHandler } from '@temporalio/workflow';
import { SetBudget } from '../../contract';
import { checked, refuse } from './input';
import type { Phase } from './phase';

const pauseUpdate = defineUpdate<void>('pause');
const resumeUpdate = defineUpdate<void>('resume');
const abandonUpdate = defineUpdate<void>('abandon');
const setBudgetUpdate = defineUpdate<unknown, [SetBudget]>('setBudget');

/**
 * What people can do to every long run: `pause`, `resume`, `abandon`. All act between two steps: what is in flight is
 * finished first. Trouble that is nobody's fault in the run (engine down, disk full, provider gone for hours) parks it
 * instead of failing it: a person mends it and sends `resume`, or `abandon`.
 */
export class Steering {
  abandoned = false;
  /** A window is told to be paused while units are in flight, which may take hours; steps only when none is in flight. */
  tellsAtOnce = false;
  /** Milliseconds that this run of the workflow spent paused or parked: not working time. */
  idleMs = 0;
  private trouble: string | undefined;
  /** Since when something waits for a person. */
  private idleSince: number | undefined;
  private waiting = 0;

  constructor(
    /** What continue-as-new carries. */
    private readonly state: { paused: boolean },
    readonly phase: Phase,
  ) {}

  /** From here on people are heard. What they said before now is done at once, so the run's own things must stand. */
  listen(): void {
    setHandler(pauseUpdate, () => this.pause(), { description: 'Begin nothing more; what is in flight is finished.' });
    setHandler(resumeUpdate, () => this.resume(), {
      description: 'Go on after `pause`, or try again what parked the run.',
    });
    setHandler(abandonUpdate, () => this.abandon(), { description: 'Begin nothing more and end with what there is.' });
  }

  get paused(): boolean {
    return this.state.paused;
  }

  get parked(): boolean {
    return this.trouble !== undefined;
  }

  /** Between two steps: waits while paused. */
  async whilePaused(): Promise<void> {
    if (!this.paused) return;
    this.tellPaused();
    await this.idle(() => !this.paused);
  }

  /** Waits until a person has mended the trouble. Others that meet it meanwhile wait with the first. */
  async park(reason: string): Promise<void> {
    if (!this.parked) this.phase.wait({ kind: 'parked', reason });
    this.trouble ??= reason;
    await this.idle(() => !this.parked);
  }

  /** Told once, also by a run that goes on with one that was paused. */
  tellPaused(): void {
    if (this.paused && !this.parked && this.phase.waiting?.kind !== 'paused') this.phase.wait({ kind: 'paused' });
  }

  private pause(): void {
    this.state.paused = true;
    if (this.tellsAtOnce || !patched('paused is told between two steps')) this.tellPaused();
  }

  private resume(): void {
    if (!this.paused && !this.parked) return;
    this.state.paused = false;
    this.trouble = undefined;
    this.phase.wait(undefined);
  }

  private abandon(): void {
    this.abandoned = true;
    this.trouble = undefined;
    if (this.phase.waiting) this.phase.wait(undefined);
  }

  private async idle(over: () => boolean): Promise<void> {
    if (this.waiting++ === 0) this.idleSince = Date.now();
    await condition(() => over() || this.abandoned);
    if (--this.waiting === 0) this.idleMs += Date.now() - this.idleSince!;
  }
}

/** Takes `setBudget`. `apply` gives what holds from now on; `refuseIf` throws for a budget that this run cannot take. */
export function onSetBudget(
  apply: (budget: SetBudget) => unknown,
  refuseIf: (budget: SetBudget) => void = () => {},
): void {
  setHandler(setBudgetUpdate, (budget) => apply(checked(SetBudget, budget, 'setBudget')), {
    description: '{"costUsd": 2, "steps": 100}: new limits, counted from the start of the run.',
    validator: (budget) => refuseIf(checked(SetBudget, budget, 'setBudget')),
  });
}

/** Takes `setBudget` for a cap that the run has; refuses it, saying `without`, where it was started without one. */
export function takeCostCap(state: { costUsd?: number }, without: string): void {
  onSetBudget(
    ({ costUsd }) => {
      state.costUsd = costUsd;
      return { costUsd };
    },
    ({ costUsd }) => {
      if (costUsd === undefined) refuse('setBudget: costUsd: a cap is needed (found nothing)');
      if (state.costUsd === undefined) refuse(`setBudget: ${without}`);
    },
  );
}
