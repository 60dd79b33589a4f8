import type { ExitStatus, SeenStep } from '../../contract';

/** What a judge, model or rules, is given of an unresolved rollout. */
export interface FailureEvidence {
  readonly instance: string;
  readonly statement: string;
  readonly status: ExitStatus;
  /** What went wrong, where the status is not the model's own doing. */
  readonly detail?: string;
  readonly steps: readonly SeenStep[];
  readonly patch: string;
  /** Why there is no verdict of tests, or `graded`. */
  readonly verdict: string | null;
  /** Tests that had to pass and did not. */
  readonly failing: readonly string[];
  /** What the tests printed. */
  readonly testLog: string;
  /** Files that the run left in a state that no Python reads: path, and where. */
  readonly unparsable: readonly string[];
}

export const SUBMITTED: ExitStatus = 'submitted';

/** How a run ended, for people and judges. */
export function endingOf({ status, detail }: Pick<FailureEvidence, 'status' | 'detail'>): string {
  return detail === undefined ? ENDINGS[status] : `${ENDINGS[status]} (${detail})`;
}

const ENDINGS: Readonly<Record<ExitStatus, string>> = {
  submitted: 'It submitted its changes.',
  limit_steps: 'It did not submit: it used up its turns.',
  limit_cost: 'It did not submit: it used up its budget.',
  limit_context: 'It did not submit: its history no longer fitted into the context of the model.',
  limit_tokens: 'It did not submit: it used up its tokens.',
  limit_wall_clock: 'It did not submit: its time was over.',
  format_exhausted: 'It did not submit: too many replies in a row were no valid call of a tool.',
  timeouts_exhausted: 'It did not submit: too many commands in a row ran into the time limit.',
  sandbox_lost: 'It did not submit: its sandbox was lost.',
  tampered: 'It did not submit: it tampered with the record of results in its sandbox.',
  model_rejected: 'It did not submit: the provider refused the request.',
  budget_exhausted: 'It did not submit: the budget above it was spent.',
  cancelled: 'It did not submit: it was cancelled.',
};
