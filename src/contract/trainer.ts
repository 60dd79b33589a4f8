import { z } from 'zod';
import { Endpoint } from './endpoint';
import { ProfileName } from './profile';
import { RolloutInput, RolloutResult } from './rollout';

/** As NeMo Gym has it: names survive in paths and files. */
export const RolloutName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,149}$/, 'letters, digits, ".", "_" and "-", the first a letter or digit');

/** An endpoint as a trainer sends it. The key is kept in a file of the home while the rollout runs, and in no payload. */
const TrainerEndpoint = z.strictObject({
  baseUrl: Endpoint.shape.baseUrl,
  apiKeyEnv: Endpoint.shape.apiKeyEnv,
  /** A secret of this rollout alone, in place of a variable. */
  apiKey: z
    .string()
    .regex(/^[\x21-\x7e]{1,4000}$/, 'printable ASCII without blanks')
    .optional(),
  headers: Endpoint.shape.headers,
});
export type TrainerEndpoint = z.infer<typeof TrainerEndpoint>;

const { carry: _, imported: __, ...fields } = RolloutInput.shape;

/** Body of `POST /rollouts`: the input of a rollout, with its name. The same name and `attempt` are the same run. */
export const TrainerRollout = z.strictObject({
  rollout_id: RolloutName,
  ...fields,
  endpoints: z.strictObject({ student: TrainerEndpoint.optional(), expert: TrainerEndpoint.optional() }).optional(),
});
export type TrainerRollout = z.infer<typeof TrainerRollout>;

export const TrainerState = z.enum(['running', 'completed', 'failed', 'cancelled', 'terminated', 'timed_out']);
export type TrainerState = z.infer<typeof TrainerState>;

/** What a trainer is told of a rollout, at any time. */
export const TrainerAnswer = z.strictObject({
  /** `ROLLOUT_ID~ATTEMPT`: what the paths of this server take. */
  id: z.string(),
  rollout_id: z.string(),
  attempt: z.int(),
  workflow_id: z.string(),
  state: TrainerState,
  /** Where a running one is; null where no worker answers. */
  phase: z.string().nullable(),
  steps: z.int(),
  /** Whether the reward says something of the model. */
  valid: z.boolean(),
  /** Why it does not, as a short stable name (`running`, `outage`, `environment_lost`, …); empty where it does. */
  reason: z.string(),
  /** The reason in words; null where there is nothing to say. */
  detail: z.string().nullable(),
  /** 1 where the problem is resolved, 0 where it is not; null where nothing can be said: never 0 for an outage. */
  reward: z.number().nullable(),
  /** From 0 to 1: `graded` is the share of FAIL_TO_PASS times that of PASS_TO_PASS. */
  rewards: z.record(z.string(), z.number()).nullable(),
  result: RolloutResult.nullable(),
});
export type TrainerAnswer = z.infer<typeof TrainerAnswer>;

/** A turn with its output: an event of `GET /rollouts/ID/steps`. */
export const TrainerStep = z.strictObject({
  turn: z.int(),
  author: z.enum(['student', 'expert']),
  profile: z.string(),
  model: z.string(),
  thought: z.string(),
  reasoning: z.string().nullable(),
  tool: z.string(),
  args: z.record(z.string(), z.unknown()),
  observation: z.string(),
  exit_code: z.int().nullable(),
  usage: z.strictObject({ prompt_tokens: z.int(), completion_tokens: z.int(), cost_usd: z.number() }),
  /** Hash of the step: the head of a trajectory that ends here. */
  head: z.string(),
});
export type TrainerStep = z.infer<typeof TrainerStep>;

/**
 * Body of `POST /run`, a row of a task as NeMo Gym (0.7) sends it to an agent. Fields that are not named here come back as they
 * are. With `_ng_rollout_id` a repeated request attaches to the run that exists; without, each is a run of its own, since task
 * and rollout indices begin again with every epoch.
 */
export const NemoRun = z.looseObject({
  responses_create_params: z.looseObject({}),
  _ng_rollout_id: RolloutName.optional(),
  _ng_attempt_index: z.int().min(0).optional(),
  /** Id of the problem, where `problem` is not given. */
  instance_id: z.string().min(1).optional(),
  problem: RolloutInput.shape.problem.optional(),
  student: ProfileName.optional(),
  expert: ProfileName.optional(),
  hand_over: RolloutInput.shape.handOver.unwrap().optional(),
  limits: RolloutInput.shape.limits.unwrap().optional(),
  seed: z.int().optional(),
  /** Where this rollout asks the student's model, as NeMo Gym's own agents take it. */
  policy_base_url: Endpoint.shape.baseUrl,
  policy_api_key: TrainerEndpoint.shape.apiKey,
  policy_headers: Endpoint.shape.headers,
});
export type NemoRun = z.infer<typeof NemoRun>;

/** Answer of `POST /run`, with the row's own fields beside: NeMo Gym's `BaseVerifyResponse`, its `reward` null where none is. */
export const NemoAnswer = z.looseObject({
  responses_create_params: z.looseObject({}),
  /** As OpenAI's Responses API has it; sampled items carry token ids and log-probabilities where they were kept. */
  response: z.looseObject({}),
  reward: z.number().nullable(),
  /** Set where `valid` is not: the sample counts for nothing. */
  mask_sample: z.boolean(),
  failure_kind: z.string().nullable(),
  failure_reason: z.string().nullable(),
  valid: z.boolean(),
  reason: z.string(),
  rollout: TrainerAnswer,
});
export type NemoAnswer = z.infer<typeof NemoAnswer>;
