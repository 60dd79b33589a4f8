import { condition, defineUpdate, setHandler } from '@temporalio/workflow';
import { SetBudget } from '../../contract';
import { checked } from './input';

export const pauseUpdate = defineUpdate<void>('pause');
export const resumeUpdate = defineUpdate<void>('resume');
export const abandonUpdate = defineUpdate<void>('abandon');
export const handOverUpdate = defineUpdate<{ turn: number }>('handOver');
export const setBudgetUpdate = defineUpdate<SetBudget, [SetBudget]>('setBudget');

export interface Steered {
  /** The next turn to be made. */
  nextTurn(): number;
  handOver(turn: number): void;
  /** Refuses a hand-over that cannot be done, by throwing. */
  canHandOver(): void;
  setBudget(budget: SetBudget): SetBudget;
  /** Tells people what the run waits for; undefined when it goes on. */
  waiting(reason: string | undefined): void;
}

/**
 * What people can do to a run while it runs: `pause`, `resume`, `handOver`, `setBudget`, and `abandon` for a parked one.
 * All of them act between two turns; a turn in flight is finished first.
 */
export class Steering {
  paused: boolean;
  abandoned = false;
  /** Milliseconds spent paused or parked: not agent time. */
  idleMs = 0;
  private parked = false;

  constructor(
    private readonly run: Steered,
    paused: boolean,
  ) {
    this.paused = paused;
    setHandler(
      pauseUpdate,
      () => {
        this.paused = true;
      },
      { description: 'Stop before the next turn.' },
    );
    setHandler(
      resumeUpdate,
      () => {
        this.paused = false;
        this.parked = false;
      },
      { description: 'Go on after `pause`, or try again what parked the run.' },
    );
    setHandler(
      abandonUpdate,
      () => {
        this.abandoned = true;
      },
      {
        description: 'End a paused or parked run, keeping its work.',
      },
    );
    setHandler(
      handOverUpdate,
      () => {
        const turn = run.nextTurn();
        run.handOver(turn);
        return { turn };
      },
      { description: 'The expert makes the next turn and all after it.', validator: () => run.canHandOver() },
    );
    setHandler(setBudgetUpdate, (budget) => run.setBudget(checked(SetBudget, budget, 'setBudget')), {
      description: '{"costUsd": 2, "steps": 100}: new limits, counted from the start of the run.',
      validator: (budget) => void checked(SetBudget, budget, 'setBudget'),
    });
  }

  /** Between two turns: waits while paused. */
  async whilePaused(): Promise<void> {
    if (this.paused) await this.wait('paused', () => !this.paused);
  }

  /**
   * Trouble that is nobody's fault in this run (engine down, disk full, provider gone for hours) parks it instead of
   * failing it: a person mends it and sends `resume`, or `abandon`.
   */
  async park(reason: string): Promise<void> {
    this.parked = true;
    await this.wait(`parked: ${reason}`, () => !this.parked);
  }

  private async wait(reason: string, over: () => boolean): Promise<void> {
    const since = Date.now();
    this.run.waiting(reason);
    await condition(() => over() || this.abandoned);
    this.idleMs += Date.now() - since;
    this.run.waiting(undefined);
  }
}
