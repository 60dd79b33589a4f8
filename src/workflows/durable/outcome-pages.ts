import { proxyActivities } from '@temporalio/workflow';
import type { createEvaluationResultActivities } from '../../activities/evaluation/results';
import type { Ref } from '../../contract';
import { RETRY } from './retry';

const { shelveOutcomes } = proxyActivities<Pick<ReturnType<typeof createEvaluationResultActivities>, 'shelveOutcomes'>>(
  {
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: '20 seconds',
    retry: { ...RETRY, maximumAttempts: 20 },
  },
);

/** Outcomes that are put into one blob together. */
const PAGE = 100;

/** Outcomes of thousands of units: a run carries one hash a page of them. */
export class OutcomePages {
  private waiting: string[] = [];

  constructor(
    /** What continue-as-new carries; written pages are appended. */
    private readonly pages: Ref[],
    /** Names the outcomes: `trajectories`. */
    private readonly units: string,
  ) {}

  add(outcome: string): void {
    this.waiting.push(outcome);
  }

  get full(): boolean {
    return this.waiting.length >= PAGE;
  }

  /** Writes what was added since the last page; `turned` is called where that is anything. */
  async turn(turned = () => {}): Promise<void> {
    // Taken out before it is written, because others settle meanwhile.
    const outcomes = this.waiting.splice(0);
    if (outcomes.length === 0) return;
    const summary = `${outcomes.length} ${this.units} to the store`;
    this.pages.push(await shelveOutcomes.executeWithOptions({ summary }, [{ outcomes }]));
    turned();
  }
}
