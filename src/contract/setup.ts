import { z } from 'zod';
import { SharedBudget } from './rollout';
import { BASE_IMAGE, Frame, Lease, ServiceSpec, sandboxOf } from './sandbox';
import { SourceName } from './source';
import { Observation, RawReply, Ref, Rejected, Usage } from './step';
import { SetupVerdictResult, TestCounts, VerifierResult } from './verdict';

const PROFILE = '[a-z0-9][a-z0-9._-]{0,62}';

/** A model profile's name, or `builtin:playbook`, the set-up agent that needs no model. */
const AgentPolicy = z
  .string()
  .regex(new RegExp(`^(builtin:playbook|${PROFILE})$`), 'a model profile, or builtin:playbook');
/** A model profile's name, or `builtin:rules`, which plays every part but the agent's without a model. */
const RolePolicy = z.string().regex(new RegExp(`^(builtin:rules|${PROFILE})$`), 'a model profile, or builtin:rules');
export type PolicyName = string;

const thought = z.string().default('');

/** What the set-up agent can do: one of these a turn. */
export const SetupAction = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('shell'), thought, command: z.string().min(1) }),
  z.strictObject({
    action: z.literal('try_experience'),
    thought,
    /** Id of a unit that was suggested in this run. */
    unit: z.string().min(1),
    /** The advice made to fit this repository; without it the unit's own atoms are rendered. */
    command: z.string().min(1).optional(),
    why: z.string().default(''),
  }),
  z.strictObject({
    action: z.literal('set_env'),
    thought,
    key: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a variable name'),
    /** `$NAME` and `${NAME}` stand for variables of the sandbox; nothing else is expanded. */
    value: z.string(),
  }),
  z.strictObject({ action: z.literal('rollback'), thought, frames: z.int().min(1).default(1) }),
  z.strictObject({ action: z.literal('start_service'), thought, service: ServiceSpec }),
  z.strictObject({ action: z.literal('verify'), thought, hint: z.string().optional() }),
  z.strictObject({
    action: z.literal('finish'),
    thought,
    message: z.string().default(''),
    /** False gives up, with `message` as the reason. True needs a `verify` that passed on this very state. */
    success: z.boolean().default(true),
  }),
]);
export type SetupAction = z.infer<typeof SetupAction>;

export const SetupLimits = z.strictObject({
  steps: z.int().min(1).default(60),
  /** Seconds for all roles together, without those in which a person let it wait. */
  wallClockSeconds: z.number().positive().default(7200),
  /** USD for all roles together, format retries included. Needs a price in every profile. */
  costUsd: z.number().positive().optional(),
  /** Seconds that one command may run before its whole process tree is killed. */
  commandSeconds: z.number().positive().default(1800),
  /** Malformed replies in a row that end the run. */
  consecutiveFormatErrors: z.int().min(1).default(3),
  /** Moves of one verifier, prosecutor or judge. Past it the role ends with what it has: never a pass. */
  roleSteps: z.int().min(4).default(40),
});
export type SetupLimits = z.infer<typeof SetupLimits>;

/** Who plays which part. */
const SetupRoles = z.strictObject({
  agent: AgentPolicy.default('builtin:playbook'),
  verifier: RolePolicy.default('builtin:rules'),
  prosecutor: RolePolicy.default('builtin:rules'),
  judge: RolePolicy.default('builtin:rules'),
  /** Reranks, audits, extracts and merges experience. */
  librarian: RolePolicy.default('builtin:rules'),
});

const ExperienceChoice = z.strictObject({
  /** `off`: none. `frozen`: units are found and used, nothing is written. `learn`: counters and new units too. */
  mode: z.enum(['off', 'frozen', 'learn']).default('learn'),
  /** Units that are tried side by side, each in a container forked from one frame. 1: one after the other. */
  speculate: z.int().min(1).max(4).default(1),
  /** What becomes of a trial of which nobody can tell whether it helped. One after which the command came further is kept. */
  neutral: z.enum(['keep', 'rollback']).default('keep'),
  /**
   * Name of a memory apart from the worker's own: it begins with the units of the package, in the home of the worker's
   * host, and only runs that name it read or write it.
   */
  memory: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'small letters, digits, ".", "_" and "-"')
    .optional(),
  /** `false`: the units of the package are not found. A memory apart begins with nothing, and holds what its own runs taught alone. */
  shipped: z.boolean().default(true),
});

/** A repository of a family, set up beside the main one in a folder of its own. */
export const Component = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/),
  source: SourceName,
});
export type Component = z.infer<typeof Component>;

export const RepoSetupInput = z.strictObject({
  /** `pypi:`, `npm:`, `go:`, `crate:`, `deb-src:`, `git+`, `dir:` or `archive:`; see `pointsman setup start --help`. */
  source: SourceName,
  /** Other repositories and services that it works with; all are judged together. */
  family: z
    .strictObject({ components: z.array(Component).default([]), services: z.array(ServiceSpec).default([]) })
    .optional(),
  goal: z.string().min(1).default('The tests of the repository run, and its documented entry points start.'),
  base: z.string().default(BASE_IMAGE),
  workdir: z.string().startsWith('/').default('/repo'),
  limits: SetupLimits.prefault({}),
  roles: SetupRoles.prefault({}),
  experience: ExperienceChoice.prefault({}),
  /** Set-up needs registries, so unlike a rollout's this sandbox has a network unless told. */
  sandbox: sandboxOf({ network: 'bridge', memoryMiB: 4096, pids: 1024 }),
  /** Prosecutor and judge after the loop. */
  judge: z.boolean().default(true),
  /** Rebuild from the base image by the script alone, and test again. */
  reproduce: z.boolean().default(true),
  /** Characters of head and of tail that a model is shown of one output. */
  observationChars: z.int().min(200).default(1000),
  budget: SharedBudget.optional(),
});
export type RepoSetupInput = z.infer<typeof RepoSetupInput>;

/** How the loop ended. Only `verified` has an environment that its verifier passed. */
export const SetupStatus = z.enum([
  'verified',
  'gave_up',
  'limit_steps',
  'limit_wall_clock',
  'limit_cost',
  'format_exhausted',
  'model_rejected',
  'limit_context',
  'budget_exhausted',
  'sandbox_lost',
  'tampered',
  'cancelled',
]);
export type SetupStatus = z.infer<typeof SetupStatus>;

/** A frame as the report draws it; the frames of one run form a tree, because a rollback goes on from an older one. */
export const FrameRecord = z.strictObject({
  index: z.int().min(0),
  parent: z.int().min(0).nullable(),
  label: z.string(),
  /** Turn that it was taken before. */
  turn: z.int().min(0),
  /** MiB over the base image. */
  mib: z.number().min(0),
  seconds: z.number().min(0),
  /** Names of the policy rules that asked for it. */
  rules: z.array(z.string()),
  /** Turn that rolled back past it, null while it stands. */
  droppedAt: z.int().nullable(),
});
export type FrameRecord = z.infer<typeof FrameRecord>;

/** What became of one unit in one run. */
export const TrialRecord = z.strictObject({
  turn: z.int().min(1),
  unit: z.string(),
  command: z.string(),
  /** The decisive lines before and after, as the failed command printed them. */
  before: z.string(),
  after: z.string(),
  outcome: z.enum(['success', 'failure', 'neutral']),
  kept: z.boolean(),
});
export type TrialRecord = z.infer<typeof TrialRecord>;

/** A world that tests were run in: the packages of a day, and what was chosen apart from it. */
export const WorldRecord = z.strictObject({
  /** What was pinned, and why. */
  what: z.string(),
  /** Null where it could not be made, or its tests were stopped. */
  passed: z.int().min(0).nullable(),
  /** Tests that failed or broke. */
  wrong: z.int().min(0).nullable(),
  /** Names of these, as far as the runner gave them. */
  failures: z.array(z.string()),
  /** Of the one that stands: each package as `NAME==VERSION`. */
  packages: z.array(z.string()),
  /** The environment is this one. */
  stands: z.boolean(),
});
export type WorldRecord = z.infer<typeof WorldRecord>;

export const RepoSetupResult = z.strictObject({
  id: z.string(),
  status: SetupStatus,
  source: z.string(),
  /** Empty, as is the head, where it ended before its sources were there. */
  sha256: z.string(),
  licence: z.string().nullable(),
  /** Whether the agent said at the end that the repository works. */
  selfClaim: z.boolean(),
  verifier: VerifierResult.nullable(),
  /** Null where nobody judged: no environment, or `judge` off. */
  verdict: SetupVerdictResult.nullable(),
  tests: TestCounts,
  steps: z.int(),
  formatRetries: z.int(),
  /** Blobs of the agent's replies to a turn that was never made, since none could be read. */
  refused: z.array(z.string()).optional(),
  rollbacks: z.int(),
  units: z.array(TrialRecord),
  /** Worlds that were compared, today's first; absent where there was no other. */
  worlds: z.array(WorldRecord).optional(),
  /** Units that this run wrote or strengthened. */
  learned: z.array(z.strictObject({ unit: z.string(), how: z.enum(['inserted', 'merged', 'duplicate']) })),
  frames: z.array(FrameRecord),
  services: z.array(ServiceSpec),
  /** Environment image: nothing removes it but people. Null when there is nothing worth keeping. */
  image: z.string().nullable(),
  workdir: z.string(),
  dockerfile: Ref.nullable(),
  script: Ref.nullable(),
  /** Versions that are installed, as each package manager prints them. */
  lock: Ref.nullable(),
  /** Null where there are no tests. */
  testCommand: z.string().nullable(),
  reproduced: z.boolean().nullable(),
  /** Why it was not reproduced, or what differed. */
  reproducedDetail: z.string().optional(),
  cost: z.strictObject({ usd: z.number(), tokens: z.int() }),
  seconds: z.number(),
  head: z.string(),
  notes: z.array(z.string()),
  detail: z.string().optional(),
});
export type RepoSetupResult = z.infer<typeof RepoSetupResult>;

/** Where a set-up is. Answer of the query `progress`. */
export interface SetupProgress {
  readonly phase: string;
  readonly turn: number;
  readonly head: string | null;
  /** Decisive line of what stands in the way, empty where nothing does. */
  readonly error: string;
  /** Labels of the frames on the stack, from the bottom. */
  readonly frames: readonly string[];
  readonly services: readonly string[];
  readonly suggested: readonly string[];
  readonly cost: { readonly usd: number; readonly tokens: number };
  readonly paused: boolean;
}

/** Prosecutor and judge over an environment that is there already: a set-up's own, or any image. */
export const SetupVerdictInput = z.strictObject({
  source: SourceName,
  image: z.string().min(1),
  workdir: z.string().startsWith('/').default('/repo'),
  base: z.string().default(BASE_IMAGE),
  goal: z.string().min(1).default('The tests of the repository run, and its documented entry points start.'),
  services: z.array(ServiceSpec).default([]),
  roles: SetupRoles.prefault({}),
  limits: SetupLimits.prefault({}),
  sandbox: sandboxOf({ memoryMiB: 4096, pids: 1024 }),
  observationChars: z.int().min(200).default(1000),
  budget: SharedBudget.optional(),
  /** What a set-up knows of itself. Written by `repoSetup`; do not write it by hand. */
  of: z
    .strictObject({
      owner: z.strictObject({ workflowId: z.string(), firstRunId: z.string() }),
      lease: Lease,
      frame: Frame,
      given: Ref,
      agent: z.string(),
      claim: z.string(),
      verifier: Ref.nullable(),
      /** What is gone of the limits, which count set-up and court together. */
      spent: z.strictObject({ usd: z.number().min(0), seconds: z.number().min(0) }).optional(),
    })
    .optional(),
});
export type SetupVerdictInput = z.infer<typeof SetupVerdictInput>;

/**
 * The chain of one role's moves in a set-up: an opening, then steps, each a content-addressed blob that names its parent.
 * Set-up agent, verifier, prosecutor and judge each write a chain of their own.
 */

export const SetupRole = z.enum(['agent', 'verifier', 'prosecutor', 'judge']);
export type SetupRole = z.infer<typeof SetupRole>;

export const SetupOpening = z.strictObject({
  kind: z.literal('setup-opening'),
  role: SetupRole,
  source: z.string(),
  /** Blob of what the role was given. */
  given: Ref,
});
export type SetupOpening = z.infer<typeof SetupOpening>;

/** The decision, written before anything runs. */
export const SetupTurn = z.strictObject({
  kind: z.literal('setup-turn'),
  turn: z.int().min(1),
  role: SetupRole,
  /** Profile, or the policy of ours that decided. */
  policy: z.string(),
  /** What the server calls itself; null for a policy of ours. */
  model: z.string().nullable(),
  /** A `SetupAction`, `VerifierMove`, `ProsecutorMove` or `JudgeMove`, by the role. */
  move: z.record(z.string(), z.unknown()),
  reply: RawReply.nullable(),
  rejected: z.array(Rejected),
  usage: Usage,
});
export type SetupTurn = z.infer<typeof SetupTurn>;

export const SetupStep = z.strictObject({
  kind: z.literal('setup-step'),
  parent: z.string(),
  turn: SetupTurn,
  observation: Observation,
  /** What the loop did around it: frames and the rules that asked for them, services started again, what was lost. */
  notes: z.array(z.string()),
  /** Turns that this step took back. */
  undoes: z.array(z.int()),
});
export type SetupStep = z.infer<typeof SetupStep>;
