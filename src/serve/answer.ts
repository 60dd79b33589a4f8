import type { RolloutResult, SeenStep, TrainerAnswer, TrainerState, TrainerStep } from '../contract';
import { validityOf } from '../dataset/validity';
import { rewardsOf } from '../grading/reward';

/** A run by its name: what a trainer calls it, and the workflow that it is. */
export interface RunName {
  readonly rolloutId: string;
  readonly attempt: number;
}

const PREFIX = 'trainer/';

/** Workflow ids of a trainer's rollouts begin so. */
export function workflowIdOf({ rolloutId, attempt }: RunName): string {
  return `${PREFIX}${rolloutId}/${attempt}`;
}

/** The condition of a visibility query for all of them. */
export const STARTED_HERE = `WorkflowType = 'rollout' AND WorkflowId STARTS_WITH '${PREFIX}'`;

export function nameOfWorkflow(id: string): RunName | undefined {
  const [, rolloutId = '', attempt = ''] = /^trainer\/([^/]+)\/(\d+)$/.exec(id) ?? [];
  return rolloutId ? { rolloutId, attempt: Number(attempt) } : undefined;
}

/** `r1~2` is the third attempt at `r1`, `r1` the first. */
export function nameOfPath(path: string): RunName | undefined {
  const [, rolloutId = '', attempt = '0'] = /^([A-Za-z0-9][A-Za-z0-9._-]*)(?:~(\d{1,9}))?$/.exec(path) ?? [];
  return rolloutId ? { rolloutId, attempt: Number(attempt) } : undefined;
}

interface Standing {
  readonly state: TrainerState;
  readonly phase?: string;
  readonly steps?: number;
  /** Why it does not go on, or why it failed. */
  readonly trouble?: string;
  /** Whether that lasts so long that nobody should wait for it. */
  readonly outage?: boolean;
  readonly result?: RolloutResult;
}

/** What a trainer is told. No reward is made up: what has not ended, or says nothing of the model, has none. */
export function answerOf(name: RunName, { state, phase, steps, trouble, outage, result }: Standing): TrainerAnswer {
  const running = state === 'running';
  const validity = running
    ? { valid: false, reason: outage ? 'outage' : 'running', reward: null }
    : validityOf({ result: result ?? null });
  return {
    id: `${name.rolloutId}~${name.attempt}`,
    rollout_id: name.rolloutId,
    attempt: name.attempt,
    workflow_id: workflowIdOf(name),
    state,
    phase: phase ?? null,
    steps: result?.turns.total ?? steps ?? 0,
    valid: validity.valid,
    reason: validity.reason,
    detail: trouble ?? result?.detail ?? null,
    reward: validity.reward,
    rewards: validity.valid
      ? rewardsOf(result?.status === 'tampered' ? undefined : (result?.grade ?? undefined))
      : null,
    result: result ?? null,
  };
}

export function stepOf({ turn, observation, exitCode }: SeenStep, head: string): TrainerStep {
  return {
    turn: turn.turn,
    author: turn.author,
    profile: turn.profile,
    model: turn.model,
    thought: turn.thought,
    reasoning: turn.reasoning ?? null,
    tool: turn.action.tool,
    args: turn.action.args,
    observation,
    exit_code: exitCode,
    usage: {
      prompt_tokens: turn.usage.promptTokens,
      completion_tokens: turn.usage.completionTokens,
      cost_usd: turn.usage.costUsd,
    },
    head,
  };
}
