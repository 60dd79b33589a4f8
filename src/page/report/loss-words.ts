import type { FunnelStage, LossReason } from '../../contract';

export const STAGE_WORDS: Readonly<Record<FunnelStage, string>> = {
  planned: 'planned',
  started: 'started',
  handed_over: 'handed over',
  submitted: 'submitted',
  passed: 'tests passed',
  not_repetitive: 'not repetitive',
  kept: 'kept',
};

/** What is said of rollouts that did not reach a stage. */
export const MISSED_WORDS: Readonly<Record<FunnelStage, string>> = {
  planned: 'not planned',
  started: 'not started',
  handed_over: 'not handed over',
  submitted: 'not submitted',
  passed: 'tests not passed',
  not_repetitive: 'repetitive',
  kept: 'not kept for another reason',
};

/** Each reason for a loss, as a sentence goes on: "was lost because …". */
export const LOSS_WORDS: Readonly<Record<LossReason, string>> = {
  instance_cap: 'its instance had been resolved often enough',
  budget_exhausted: 'the budget of the campaign was used up before it began',
  abandoned: 'the campaign was ended before it began',
  cancelled_before_start: 'the campaign was cancelled before it began',
  failed: 'the run itself failed',
  cancelled: 'it was cancelled',
  submitted_before_switch: 'the student submitted before the hand-over',
  ended_before_switch: 'it ended at a limit before the hand-over',
  limit_steps: 'it reached the limit of turns',
  limit_cost: 'it reached its limit of USD',
  limit_context: 'its context was full',
  limit_tokens: 'it reached its limit of tokens',
  limit_wall_clock: 'it reached its limit of time',
  format_exhausted: 'replies in a row could not be read',
  timeouts_exhausted: 'commands in a row timed out',
  sandbox_lost: 'its sandbox was lost and could not be rebuilt',
  model_rejected: 'the provider refused the request for good',
  run_budget_exhausted: 'a budget above the run was used up',
  empty_patch: 'its patch has no change in it',
  patch_failed: 'its patch does not apply',
  no_tests: 'no test ran',
  tests_timed_out: 'the tests took too long',
  tampered: 'evidence was tampered with',
  tests_failed: 'a test that has to pass fails',
  not_graded: 'it was not graded',
  identical_actions: 'the same action several times in a row',
  endless_file_reading: 'it read files over and over',
  nothing_trained: 'no turn of it would be trained',
  unfaithful: 'a turn cannot be written in the format of the student without a change',
  too_long: 'it is longer than a row may be',
  duplicate: 'what would be trained is in another row already',
  kept_enough_of_instance: 'enough rows of its instance are kept',
  mixture: 'the mixture takes no more of its method',
  chain_missing: 'its steps are no longer in the store',
};
