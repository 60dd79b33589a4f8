import { z } from 'zod';
import { Ref } from './step';

export const TestCounts = z.strictObject({
  collected: z.int().min(0),
  passed: z.int().min(0),
  failed: z.int().min(0),
  skipped: z.int().min(0),
  errors: z.int().min(0),
});
export type TestCounts = z.infer<typeof TestCounts>;

/** What a command in a throw-away container did. Bodies are blobs; nothing that the judged party wrote can change them. */
export const Evidence = z.strictObject({
  command: z.string(),
  exitCode: z.int().nullable(),
  timedOut: z.boolean(),
  output: Ref,
  /** Beginning and end of the output. */
  preview: z.string(),
});
export type Evidence = z.infer<typeof Evidence>;

/** Why a test fails: only `setup` speaks against the environment. */
export const FailureClass = z.enum(['setup', 'repository_bug', 'external_service', 'missing_data']);
export type FailureClass = z.infer<typeof FailureClass>;

const thought = z.string().default('');
const command = z.string().min(1);

/** What a verifier can do: one of these a turn, each in a fresh throw-away container of the same frame. */
export const VerifierMove = z.discriminatedUnion('move', [
  /** Looks at the structure; reads only. */
  z.strictObject({ move: z.literal('look'), thought, command }),
  z.strictObject({ move: z.literal('run_tests'), thought, command, framework: z.string().min(1) }),
  /** Where there are no tests: a file under /tmp, and the command that runs it. */
  z.strictObject({
    move: z.literal('smoke'),
    thought,
    path: z.string().regex(/^\/tmp\/(?!.*\.\.)[\w./-]+$/, 'a path under /tmp without ".."'),
    content: z.string(),
    command,
  }),
  z.strictObject({
    move: z.literal('classify'),
    thought,
    failures: z.array(z.strictObject({ test: z.string(), class: FailureClass, why: z.string() })),
  }),
  z.strictObject({ move: z.literal('conclude'), thought, success: z.boolean(), hint: z.string().default('') }),
]);
export type VerifierMove = z.infer<typeof VerifierMove>;

export const VerifierResult = z.strictObject({
  /** Computed: the policy concluded success, tests were collected or a smoke test passed, no failure is the set-up's. */
  success: z.boolean(),
  framework: z.string().nullable(),
  counts: TestCounts,
  /** The run that the counts come from, or the smoke test; null where neither was run. */
  evidence: Evidence.nullable(),
  failures: z.array(z.strictObject({ test: z.string(), class: FailureClass, why: z.string() })),
  smoke: z.boolean(),
  hint: z.string(),
  /** Chain of its moves. */
  head: z.string(),
});
export type VerifierResult = z.infer<typeof VerifierResult>;

export const ChargeKind = z.enum(['dependency', 'entry_point', 'tests', 'filtered', 'interpreter', 'service', 'claim']);
export type ChargeKind = z.infer<typeof ChargeKind>;

export const ProsecutorMove = z.discriminatedUnion('move', [
  z.strictObject({ move: z.literal('examine'), thought, command }),
  z.strictObject({
    move: z.literal('charge'),
    thought,
    kind: ChargeKind,
    /** What is wrong, in one sentence. */
    claim: z.string().min(1),
    /** Where the repository asks for it (file and line, or documentation). */
    declared: z.string().default(''),
    /** Shows it: exit code 0 means that the charge is unfounded. */
    command,
  }),
  z.strictObject({ move: z.literal('rest'), thought, summary: z.string().default('') }),
]);
export type ProsecutorMove = z.infer<typeof ProsecutorMove>;

export const Charge = z.strictObject({
  id: z.int().min(1),
  kind: ChargeKind,
  claim: z.string(),
  declared: z.string(),
  evidence: Evidence,
});
export type Charge = z.infer<typeof Charge>;

/** Why a charge was dismissed; `reproduced` upholds it. */
export const Ground = z.enum([
  'reproduced',
  'not_reproduced',
  'optional_extra',
  'external_service',
  'test_logic_bug',
  'missing_data',
  'wrong_interpreter',
  'not_declared',
]);
export type Ground = z.infer<typeof Ground>;

export const JudgeMove = z.discriminatedUnion('move', [
  /** At most two for one charge, one of them its own command: that is what runs where none is given. */
  z.strictObject({ move: z.literal('rerun'), thought, charge: z.int().min(1), command: command.optional() }),
  /** Refused, with the reason, where its runs do not bear it out. */
  z.strictObject({
    move: z.literal('find'),
    thought,
    charge: z.int().min(1),
    upheld: z.boolean(),
    ground: Ground,
    why: z.string().default(''),
  }),
]);
export type JudgeMove = z.infer<typeof JudgeMove>;

export const Finding = z.strictObject({
  charge: z.int().min(1),
  upheld: z.boolean(),
  ground: Ground,
  why: z.string(),
  evidence: z.array(Evidence),
});
export type Finding = z.infer<typeof Finding>;

export const SetupVerdictResult = z.strictObject({
  /** Computed from the findings: any upheld charge is guilty, an outage or a step cap is `error`, never a pass. */
  verdict: z.enum(['not_guilty', 'guilty', 'error']),
  charges: z.array(Charge),
  findings: z.array(Finding),
  /** Chains of the two roles' moves. */
  heads: z.strictObject({ prosecutor: z.string(), judge: z.string() }),
  cost: z.strictObject({ usd: z.number(), tokens: z.int() }),
  detail: z.string().optional(),
});
export type SetupVerdictResult = z.infer<typeof SetupVerdictResult>;
