import type { ExitStatus, GradeResult, RolloutRow } from '../contract';
import { rewardsOf } from '../grading/reward';

/** Whether a rollout's end says something about its model, and what it is worth if it does. */
export interface Validity {
  readonly valid: boolean;
  /** Why not, as a short stable name; empty where it does. */
  readonly reason: string;
  /** 1 where the problem is resolved, 0 where it is not; null where nothing can be said: never 0 for an outage. */
  readonly reward: 0 | 1 | null;
  /** The same by the share of its tests that passed (`rewardsOf`). */
  readonly graded: number | null;
}

/** Endings that are not the model's doing: what was done until then is judged by nothing. */
const NOT_ITS_DOING: Partial<Record<ExitStatus, string>> = {
  sandbox_lost: 'environment_lost',
  model_rejected: 'provider_refused',
  budget_exhausted: 'budget_exhausted',
  cancelled: 'cancelled',
};

/**
 * Verdicts of a judge that could not judge. A patch that does not apply, and one that passes whatever the tests say, are the
 * model's doing; tests that do not run or do not end may be.
 */
const NO_JUDGEMENT: Partial<Record<GradeResult['verdict'], string>> = {
  no_tests: 'no_tests',
  timed_out: 'tests_timed_out',
  controls_incomplete: 'controls_incomplete',
};

/** Of a rollout that has a result. What a review settled counts as settled. */
export function validityOf({ result, review }: Pick<RolloutRow, 'result' | 'review'>): Validity {
  if (!result) return invalid('no_result');
  const lost = NOT_ITS_DOING[result.status];
  if (lost) return invalid(lost);
  if (!result.grade) return invalid('not_graded');
  const { graded } = rewardsOf(result.grade);
  if (review) return judged(review.accepted && result.grade.resolved, review.accepted ? graded : 0);
  const unjudged = NO_JUDGEMENT[result.grade.verdict];
  // A cheat is one whatever the tests say of it.
  if (result.status === 'tampered') return judged(false, 0);
  return unjudged ? invalid(unjudged) : judged(result.grade.resolved, graded);
}

function invalid(reason: string): Validity {
  return { valid: false, reason, reward: null, graded: null };
}

function judged(resolved: boolean, graded: number): Validity {
  return { valid: true, reason: '', reward: resolved ? 1 : 0, graded };
}
