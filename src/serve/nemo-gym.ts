import type { NemoAnswer, NemoRun, SampledTokens, SeenStep, TrainerAnswer, TrainerRollout } from '../contract';
import { PointsmanError, parseInput, TrainerRollout as Rollout } from '../contract';

/** A turn with what it was sampled with, where that was kept. */
export interface SampledStep extends SeenStep {
  readonly tokens?: SampledTokens;
}

/** A row of a task as a rollout of ours. Throws `InvalidInput` where it names no problem. */
export function rolloutOfRow(
  row: NemoRun,
  named: { readonly rolloutId: string; readonly student?: string },
): TrainerRollout {
  const problem = row.problem ?? row.instance_id;
  if (problem === undefined)
    throw new PointsmanError('InvalidInput', 'run: problem or instance_id is needed', 'Give the id of a problem.');
  const student = row.student ?? (row.expert === undefined ? named.student : undefined);
  const { policy_base_url: baseUrl, policy_api_key: apiKey, policy_headers: headers } = row;
  const endpoint = (baseUrl ?? apiKey ?? headers) ? { student: { baseUrl, apiKey, headers } } : undefined;
  const alone = student === undefined ? { at: 0 } : { never: true };
  const both = student !== undefined && row.expert !== undefined;
  return parseInput(
    Rollout,
    {
      rollout_id: named.rolloutId,
      attempt: row._ng_attempt_index ?? 0,
      problem,
      student,
      expert: row.expert,
      handOver: row.hand_over ?? (both ? undefined : alone),
      limits: row.limits,
      seed: row.seed,
      endpoints: endpoint,
    },
    'run',
  );
}

/** Reasons of ours in NeMo Gym's words (`nemo_gym.failure_kinds`), or under our name where it has none. */
const KINDS: Readonly<Record<string, string>> = {
  outage: 'provider_unavailable',
  running: 'agent_timeout',
  environment_lost: 'session_lost',
  provider_refused: 'agent_request_failed',
  budget_exhausted: 'provider_quota_exhausted',
  cancelled: 'cancelled',
  no_result: 'agent_run_error',
  not_graded: 'verifier_error',
  no_tests: 'verifier_error',
  tests_timed_out: 'verifier_error',
  controls_incomplete: 'verifier_error',
};

/** What NeMo Gym is answered: the row, the conversation and its reward. `at` is the time of the response, seconds since 1970. */
export function nemoAnswer(row: NemoRun, answer: TrainerAnswer, steps: readonly SampledStep[], at: number): NemoAnswer {
  const { _ng_rollout_id: _, policy_api_key: __, ...shown } = row;
  const { valid, reason, reward, detail, rewards } = answer;
  const total = (pick: (step: SampledStep) => number) => steps.reduce((sum, step) => sum + pick(step), 0);
  const [input, output] = [
    total(({ turn }) => turn.usage.promptTokens),
    total(({ turn }) => turn.usage.completionTokens),
  ];
  return {
    ...shown,
    ...(rewards ?? {}),
    responses_create_params: row.responses_create_params,
    response: {
      id: `resp_${answer.id}`,
      object: 'response',
      created_at: at,
      status: answer.state === 'completed' ? 'completed' : 'incomplete',
      model: steps.at(-1)?.turn.model ?? '',
      output: steps.flatMap(itemsOf),
      parallel_tool_calls: false,
      tool_choice: 'auto',
      tools: [],
      usage: {
        input_tokens: input,
        input_tokens_details: { cached_tokens: total(({ turn }) => turn.usage.cachedTokens), cache_write_tokens: 0 },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: input + output,
      },
    },
    reward,
    mask_sample: !valid,
    failure_kind: valid ? null : (KINDS[reason] ?? `pointsman:${reason}`),
    failure_reason: valid ? null : (detail ?? reason),
    valid,
    reason,
    rollout: answer,
  };
}

/** What was thought, said and called, and what came back. The last of what was sampled carries the tokens of all of it. */
function itemsOf({ turn, observation, tokens }: SampledStep): Record<string, unknown>[] {
  const [call] = turn.reply.toolCalls;
  const callId = call?.id || `turn_${turn.turn}`;
  const sampled: Record<string, unknown>[] = [];
  if (turn.reasoning) {
    sampled.push({
      type: 'reasoning',
      id: `rs_${turn.turn}`,
      summary: [{ type: 'summary_text', text: turn.reasoning }],
    });
  }
  if (turn.reply.content) {
    sampled.push({
      type: 'message',
      id: `msg_${turn.turn}`,
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: turn.reply.content, annotations: [] }],
    });
  }
  const called = {
    type: 'function_call',
    id: `fc_${turn.turn}`,
    call_id: callId,
    name: turn.action.tool,
    arguments: call?.arguments ?? JSON.stringify(turn.action.args),
    status: 'completed',
  };
  // In dialects of text the call is what was read in the message, and nothing beside it was sampled.
  if (call) sampled.push(called);
  const last = sampled.at(-1);
  if (last && tokens?.prompt && tokens.logprobs) {
    last.prompt_token_ids = tokens.prompt;
    last.generation_token_ids = tokens.answer;
    last.generation_log_probs = tokens.logprobs;
  }
  return [
    ...sampled,
    ...(call ? [] : [called]),
    { type: 'function_call_output', call_id: callId, output: observation, status: 'completed' },
  ];
}
