import {
  DatasetFilters,
  type ExitStatus,
  type FunnelStage,
  type GradeResult,
  type LossReason,
  type RolloutRow,
} from '../contract';
import { needsExpert } from '../rollout/handover';
import { validityOf } from './validity';

/** Where a rollout stopped on its way into a training set: the stage that it did not reach, and why. */
export interface Loss {
  readonly stage: FunnelStage;
  readonly reason: LossReason;
}

/** Filters that a row is judged by without its chain. One that is off lets everything pass its stage by. */
export type RowFilters = Pick<DatasetFilters, 'resolved' | 'gradedReward' | 'submitted' | 'doubtful' | 'handOvers'>;

const ALL: RowFilters = DatasetFilters.parse({});

/** Stage that each reason which only a chain shows belongs to. */
const LATER: Readonly<Partial<Record<LossReason, FunnelStage>>> = {
  identical_actions: 'not_repetitive',
  endless_file_reading: 'not_repetitive',
};

/** A loss that was found by reading the chain or by what else is in the data set. */
export function laterLoss(reason: LossReason): Loss {
  return { stage: LATER[reason] ?? 'kept', reason };
}

/**
 * The first stage that a rollout did not reach, as far as its row says (OEC, section 4: rejection sampling, and samples that
 * the student submitted before the switch are discarded). Undefined for one that passed.
 */
export function lossOf(row: RolloutRow, filters: RowFilters = ALL): Loss | undefined {
  if (row.outcome === 'skipped') return { stage: 'started', reason: skipReason(row) };
  // What left no result shows no turn of an expert either.
  if (!row.result) return { stage: 'handed_over', reason: row.outcome === 'cancelled' ? 'cancelled' : 'failed' };
  const { status, turns } = row.result;
  if (expectsExpert(row) && turns.expert === 0) return { stage: 'handed_over', reason: beforeSwitch(status) };
  const switched = row.result.handOver.reason;
  if (switched && filters.handOvers?.includes(switched) === false)
    return { stage: 'handed_over', reason: 'other_hand_over' };
  if (filters.submitted && status !== 'submitted') return { stage: 'submitted', reason: ENDINGS[status] };
  if (filters.resolved && row.result.resolved !== true) return { stage: 'passed', reason: unresolved(row) };
  if (filters.gradedReward !== undefined && (validityOf(row).graded ?? -1) < filters.gradedReward)
    return { stage: 'passed', reason: 'reward_too_low' };
  const doubt = filters.doubtful ? doubtOf(row) : undefined;
  return doubt && { stage: 'not_doubtful', reason: doubt };
}

/**
 * Whether the method hands over. Behavioural cloning (`at: 0`) does, at its first turn; the student alone does not, and
 * passes the stage by.
 */
function expectsExpert({ expert, handOver }: Pick<RolloutRow, 'expert' | 'handOver'>): boolean {
  return expert !== null && needsExpert(handOver);
}

function skipReason({ skipped }: RolloutRow): LossReason {
  return skipped === 'cancelled' ? 'cancelled_before_start' : (skipped ?? 'abandoned');
}

function beforeSwitch(status: ExitStatus): LossReason {
  if (status === 'submitted') return 'submitted_before_switch';
  return status === 'cancelled' ? 'cancelled' : 'ended_before_switch';
}

const ENDINGS: Readonly<Record<Exclude<ExitStatus, 'submitted'>, LossReason>> = {
  limit_steps: 'limit_steps',
  limit_cost: 'limit_cost',
  limit_context: 'limit_context',
  limit_tokens: 'limit_tokens',
  limit_wall_clock: 'limit_wall_clock',
  format_exhausted: 'format_exhausted',
  timeouts_exhausted: 'timeouts_exhausted',
  sandbox_lost: 'sandbox_lost',
  tampered: 'tampered',
  model_rejected: 'model_rejected',
  budget_exhausted: 'run_budget_exhausted',
  cancelled: 'cancelled',
};

/** What a person would want to look at before training on it; a review settles it, and any other row too. */
function doubtOf(row: RolloutRow): LossReason | undefined {
  if (row.review) return row.review.accepted ? undefined : 'refused_in_review';
  if (!isDoubtful(row)) return undefined;
  return row.result?.grade?.verdict === 'controls_incomplete' ? 'controls_incomplete' : 'suspicious';
}

/** Whether its verdict is one that a person would look at. */
export function isDoubtful({ result }: Pick<RolloutRow, 'result'>): boolean {
  const grade = result?.grade;
  return (grade?.suspicion.length ?? 0) > 0 || grade?.verdict === 'controls_incomplete';
}

/** Whether its tests passed and no wrong expectation could be tried: a bribe would have passed as well. */
export function isUnproved({ controls }: Pick<GradeResult, 'controls'>): boolean {
  return (controls?.run ?? 0) === 0;
}

const VERDICTS: Readonly<Record<GradeResult['verdict'], LossReason>> = {
  graded: 'tests_failed',
  patch_failed: 'patch_failed',
  no_tests: 'no_tests',
  timed_out: 'tests_timed_out',
  bribed: 'bribed',
  // It passed, or the verdict would be another one.
  controls_incomplete: 'controls_incomplete',
};

function unresolved({ result, emptyPatch }: RolloutRow): LossReason {
  if (emptyPatch || result?.patch?.bytes === 0) return 'empty_patch';
  return result?.grade ? VERDICTS[result.grade.verdict] : 'not_graded';
}

/** What shows that a rollout was lost for a reason that its row alone gives, in a line. */
export function lossDetail(row: RolloutRow, reason: LossReason): string {
  const { result } = row;
  if (!result) return row.error ?? (row.outcome === 'skipped' ? 'it never began' : 'it left no result');
  const { turns, handOver, grade, detail } = result;
  const after = `after ${turns.total} turns`;
  switch (reason) {
    case 'submitted_before_switch':
      return `submitted ${after}${handOver.sampled === null ? '' : `, the switch was drawn at ${handOver.sampled}`}`;
    case 'other_hand_over':
      return `the expert took over at turn ${handOver.expertFrom}: ${handOver.reason}`;
    case 'ended_before_switch':
      return [`${result.status} ${after}`, detail].filter(Boolean).join(': ');
    case 'tests_failed': {
      if (!grade) return detail ?? 'not resolved';
      const { failToPass, passToPass } = grade;
      const count = failToPass.total - failToPass.passed + passToPass.total - passToPass.passed;
      const first = failToPass.missing[0] ?? passToPass.missing[0];
      return first === undefined ? (grade.detail ?? detail ?? 'not resolved') : `${count} tests, the first is ${first}`;
    }
    case 'bribed':
    case 'controls_incomplete':
      return grade?.detail ?? '';
    case 'suspicious':
      return (grade?.suspicion ?? []).map(({ kind, path, line }) => `${kind} (${path}:${line ?? '?'})`).join('; ');
    case 'patch_failed':
      return `its patch does not apply, ${after}`;
    case 'no_tests':
      return 'no test ran on its patch';
    case 'tests_timed_out':
      return 'the tests did not end in time';
    case 'empty_patch':
      return `no change ${after}`;
    default:
      return detail ?? `${result.status} ${after}`;
  }
}
