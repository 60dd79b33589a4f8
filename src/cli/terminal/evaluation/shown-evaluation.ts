import type { CandidateOutcome, EvaluationProgress, EvaluationResult, ProblemEntry } from '../../../contract';
import type { RunStatus } from '../../../pages/shown-run';

/** An evaluation with its candidates, as `show` prints it. */
export interface ShownEvaluation {
  readonly id: string;
  readonly status: RunStatus;
  readonly solver: string;
  /** File that the problems came from. */
  readonly problemsOf: string | undefined;
  readonly startedAt: Date;
  readonly endedAt: Date | undefined;
  readonly progress: EvaluationProgress | undefined;
  readonly result: EvaluationResult | undefined;
  readonly problems: readonly ProblemEntry[];
  /** Sorted by problem, sample and repair; empty before it has ended. */
  readonly outcomes: readonly CandidateOutcome[];
  readonly trouble: string | undefined;
  readonly links: readonly (readonly [string, string])[];
}
