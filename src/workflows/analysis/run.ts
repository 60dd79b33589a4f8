import { workflowInfo } from '@temporalio/workflow';
import { queuesUnder, type Ref, type SharedBudget } from '../../contract';
import { codeOf, isCancellation, messageOf } from '../durable/failures';
import { OutcomePages } from '../durable/outcome-pages';
import { Phase } from '../durable/phase';
import { type ModelQueue, modelQueue } from '../durable/retry';
import { type Rest, SlidingWindow, type WindowState } from '../durable/sliding-window';
import { Steering, takeCostCap } from '../durable/steering';
import { evaluationStore } from '../evaluation/activities';

/** What continue-as-new carries of an analysis that looks at each trajectory by itself. */
export interface AnalysisState {
  readonly window: WindowState;
  readonly pages: Ref[];
  readonly cost: { usd: number; tokens: number };
  costUsd?: number;
}

/** What came of one trajectory: its blob, and what it cost. */
export interface Looked {
  readonly outcome: string;
  readonly cost: { readonly usd: number; readonly tokens: number };
}

/** Nothing has been looked at. */
export function beginAnalysis({ concurrency, costUsd }: { concurrency: number; costUsd?: number }): AnalysisState {
  return {
    window: { next: 0, concurrency, paused: false },
    pages: [],
    cost: { usd: 0, tokens: 0 },
    costUsd,
  };
}

/**
 * Thousands of trajectories, each looked at by one activity that may ask a model. Outcomes are gathered in pages; trouble (a
 * provider that is away for hours, a budget that is spent) parks the run, because leaving those trajectories out would change
 * what the analysis says. `setBudget` and `resume` go on; `abandon` ends with what there is.
 */
export class AnalysisRun {
  readonly phase: Phase;
  private readonly steering: Steering;
  private readonly window: SlidingWindow;
  private readonly pages: OutcomePages;

  constructor(
    private readonly state: AnalysisState,
    /** Tells people where it is. */
    show: () => void,
  ) {
    this.phase = new Phase('Planning', show);
    this.steering = new Steering(state.window, this.phase);
    this.window = new SlidingWindow(state.window, this.steering);
    this.pages = new OutcomePages(state.pages, 'trajectories');
  }

  /** From here on people are heard. */
  listen(): void {
    this.steering.listen();
    takeCostCap(this.state, 'this analysis was started without a cap');
  }

  get inFlight(): number {
    return this.window.inFlight;
  }

  /** The cap may change while it runs. The budget is named after the workflow's type and its first run. */
  get budget(): SharedBudget | undefined {
    const { costUsd } = this.state;
    const { workflowType, firstExecutionRunId } = workflowInfo();
    return costUsd === undefined ? undefined : { name: `${workflowType} ${firstExecutionRunId}`, capUsd: costUsd };
  }

  /** Throws `InvalidInput` for a profile that cannot be asked under the cap. Gives the task queue where it is asked. */
  async queueOf(profile: string, summary: string): Promise<ModelQueue> {
    const { costUsd } = this.state;
    const { taskQueue } = workflowInfo();
    const checked = await evaluationStore.checkProfiles.executeWithOptions({ summary }, [
      { profiles: profile.startsWith('builtin:') ? [] : [profile], capUsd: costUsd },
    ]);
    return modelQueue(queuesUnder(taskQueue), checked, profile);
  }

  /** Looks at trajectories 0 to `total` − 1 as far as the window goes. */
  async each<Outcome extends Looked>(
    total: number,
    look: (at: number) => Promise<Outcome>,
    settled: (outcome: Outcome) => void,
  ): Promise<Rest> {
    const rest = await this.window.run(total, async (at) => {
      const outcome = await this.insist(() => look(at));
      if (!outcome) return;
      this.pages.add(outcome.outcome);
      this.state.cost.usd += outcome.cost.usd;
      this.state.cost.tokens += outcome.cost.tokens;
      settled(outcome);
      if (this.pages.full) await this.pages.turn();
    });
    await this.pages.turn();
    return rest;
  }

  /** Again and again, parked in between; undefined when the run was abandoned over it. */
  private async insist<Outcome>(look: () => Promise<Outcome>): Promise<Outcome | undefined> {
    for (;;) {
      const capUsd = this.state.costUsd;
      try {
        return await look();
      } catch (error) {
        if (isCancellation(error)) throw error;
        const spent = codeOf(error) === 'BudgetExhausted';
        // Raised while this call waited: it was asked with the cap of before.
        if (spent && this.state.costUsd !== capUsd) continue;
        await this.steering.park(spent ? `${messageOf(error)} Set a higher one, then resume.` : messageOf(error));
        if (this.steering.abandoned) return undefined;
      }
    }
  }
}
