import { setHandler } from '@temporalio/workflow';
import { type Ref, SetBudget, type SharedBudget } from '../../contract';
import { evaluationStore } from './evaluation-activities';
import { codeOf, isCancellation, messageOf } from './failures';
import { checked, refuse } from './input';
import { type Rest, SlidingWindow, type WindowState } from './sliding-window';
import { setBudgetUpdate } from './steering';

/** Outcomes that are put into one blob together. */
const PAGE = 100;

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

/**
 * Thousands of trajectories, each looked at by one activity that may ask a model. Outcomes are gathered in pages; trouble (a
 * provider that is away for hours, a budget that is spent) parks the run, because leaving those trajectories out would change
 * what the analysis says. `setBudget` and `resume` go on; `abandon` ends with what there is.
 */
export class AnalysisRun {
  private readonly window: SlidingWindow;
  private page: string[] = [];

  constructor(
    private readonly state: AnalysisState,
    private readonly about: {
      /** Names the budget: `covariateShift RUN`. */
      readonly name: string;
      /** Told why nothing is begun, and undefined when it goes on. */
      waiting(reason: string | undefined): void;
    },
  ) {
    this.window = new SlidingWindow(state.window, (reason) => about.waiting(reason));
    setHandler(
      setBudgetUpdate,
      (budget) => {
        state.costUsd = budget.costUsd!;
        return { costUsd: state.costUsd };
      },
      {
        description: '{"costUsd": 5}: a new cap, counted from the start.',
        validator: (budget) => {
          const { costUsd } = checked(SetBudget, budget, 'setBudget');
          if (costUsd === undefined) refuse('setBudget: costUsd: a cap is needed (found nothing)');
          if (state.costUsd === undefined) refuse('setBudget: this analysis was started without a cap');
        },
      },
    );
  }

  get inFlight(): number {
    return this.window.inFlight;
  }

  /** The cap may change while it runs. */
  get budget(): { budget?: SharedBudget } {
    const { costUsd } = this.state;
    return costUsd === undefined ? {} : { budget: { name: this.about.name, capUsd: costUsd } };
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
      this.page.push(outcome.outcome);
      this.state.cost.usd += outcome.cost.usd;
      this.state.cost.tokens += outcome.cost.tokens;
      settled(outcome);
      if (this.page.length >= PAGE) await this.turnPage();
    });
    await this.turnPage();
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
        await this.window.park(spent ? `${messageOf(error)} Set a higher one, then resume.` : messageOf(error));
        if (this.window.abandoned) return undefined;
      }
    }
  }

  /** Taken out before it is written, because others settle meanwhile. */
  private async turnPage(): Promise<void> {
    const outcomes = this.page;
    if (outcomes.length === 0) return;
    this.page = [];
    const summary = `${outcomes.length} trajectories to the store`;
    this.state.pages.push(await evaluationStore.shelveOutcomes.executeWithOptions({ summary }, [{ outcomes }]));
  }
}
