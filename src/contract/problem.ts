import { z } from 'zod';
import { Subject } from './harness';
import { BASE_IMAGE, SandboxProfile, ServiceSpec } from './sandbox';
import { SourceName } from './source';
import { Ref } from './step';

/**
 * How test outcomes are read. `auto` (or `pytest`): by the own report of the runner that the command really starts. `junit`: from a JUnit XML
 * report that the command writes. `reward`: from a file that holds a number, 1 for a pass.
 */
const TestParser = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['auto', 'pytest']) }),
  z.strictObject({ kind: z.literal('junit'), report: z.string() }),
  z.strictObject({ kind: z.literal('reward'), report: z.string() }),
]);

/** How the environment image comes about, so that it can be made again where its tag is unknown. */
export const EnvironmentRecipe = z.strictObject({
  /** As `SourceName` says. */
  source: z.string(),
  /** Digest of what was fetched; of a folder, that of its files. */
  sha256: z.string().optional(),
  /** Image that it is built on. */
  base: z.string(),
  /** Shell commands run in the work directory, with a network, before the snapshot. */
  setup: z.array(z.string()),
});
export type EnvironmentRecipe = z.infer<typeof EnvironmentRecipe>;

export const TestFile = z.strictObject({
  /** Relative to the work directory. */
  path: z
    .string()
    .refine((path) => path.split('/').every((part) => !/^\.{0,2}$|\0/.test(part)), 'stays inside the work directory'),
  /** The file's bytes: a blob, text or base64 in place; null where grading must not find the file. */
  content: z.union([Ref, z.string(), z.strictObject({ base64: z.string() }), z.null()]),
  executable: z.boolean().optional(),
});
export type TestFile = z.infer<typeof TestFile>;

/** What a sandbox of the problem has to have, beyond what the run asks for. */
export const Needs = z.strictObject({
  network: SandboxProfile.shape.network.unwrap().optional(),
  memoryMiB: SandboxProfile.shape.memoryMiB.unwrap().optional(),
  cpus: SandboxProfile.shape.cpus.unwrap().optional(),
  diskMiB: SandboxProfile.shape.diskMiB.unwrap().optional(),
});
export type Needs = z.infer<typeof Needs>;

/** A Dockerfile and what it copies, by which an image can be made where it is not known. */
const Build = z.strictObject({ files: z.array(TestFile) });

/** A file or folder that leaves the agent's sandbox to be judged. */
export const Artifact = z.strictObject({
  source: z.string().startsWith('/'),
  /** Names and patterns below it that stay, as `tar --exclude` has them. */
  exclude: z.array(z.string()).default([]),
  /** The service that has it, where it is not the agent's sandbox. */
  service: z.string().optional(),
});
export type Artifact = z.infer<typeof Artifact>;

/** A sandbox of the tests' own. Of the agent's only the artifacts reach it, each in its own place. */
const Apart = z.strictObject({
  image: z.string().min(1),
  build: Build.optional(),
  workdir: z.string().startsWith('/'),
  needs: Needs.optional(),
  /** Whether the image holds the tests. */
  holdsTests: z.boolean(),
  /** Commands that write artifacts, run where the agent worked or in a service beside it. One that fails stops nothing. */
  collect: z.array(
    z.strictObject({
      command: z.string().min(1),
      service: z.string().optional(),
      timeoutSeconds: z.number().positive(),
    }),
  ),
  artifacts: z.array(Artifact),
});
export type Apart = z.infer<typeof Apart>;

export const ProblemTests = z.strictObject({
  /** One shell command, run in the work directory. */
  command: z.string().min(1),
  parser: TestParser.default({ kind: 'auto' }),
  failToPass: z.array(z.string()),
  passToPass: z.array(z.string()),
  /** Written over the candidate's work before the tests run; the agent never sees those that are new. */
  files: z.array(TestFile).default([]),
  /** Hidden tests that come as a patch against the image's own, applied where `files` are written. */
  patch: z.string().optional(),
  timeoutSeconds: z.number().positive().default(1800),
  /**
   * Where it is given, the tests judge the sandbox that the agent leaves, with all that runs in it, and not its patch; their
   * `files` are written below this folder and not into the work directory. Nobody can judge such a run again.
   */
  at: z.string().startsWith('/').optional(),
  /** With `at`: they run in a sandbox of their own. */
  apart: Apart.optional(),
});
export type ProblemTests = z.infer<typeof ProblemTests>;

/**
 * How an image from elsewhere becomes the problem: the patch (which may introduce the bug, as SWE-smith's does) is applied
 * and the history is replaced by one commit, so that nobody reads the fix out of `.git`.
 */
export const Preparation = z.strictObject({
  patch: z.string().default(''),
  /** Files written or (null) deleted before the commit. */
  files: z.array(TestFile).default([]),
  /** A function whose copies outside of its own file go first: installed packages, caches, archives, tests. */
  purge: Subject.optional(),
});
export type Preparation = z.infer<typeof Preparation>;

/** A run's profile with at least what the problem needs. */
export function withNeeds(profile: SandboxProfile, needs: Needs = {}): SandboxProfile {
  return {
    ...profile,
    network: needs.network === 'bridge' ? 'bridge' : profile.network,
    memoryMiB: Math.max(profile.memoryMiB, needs.memoryMiB ?? 0),
    cpus: Math.max(profile.cpus, needs.cpus ?? 0),
    diskMiB: Math.max(profile.diskMiB, needs.diskMiB ?? 0),
  };
}

/** As of a set-up; its image may be one that is made of a Dockerfile. */
export const ProblemService = ServiceSpec.extend({
  name: z.string().regex(/^[A-Za-z0-9][\w.-]{0,60}$/, 'letters, digits, "_", "." and "-"'),
  build: Build.optional(),
});
export type ProblemService = z.infer<typeof ProblemService>;

/** Files that are brought into the work directory before an agent begins there, and a command that is run then. */
const Opening = z.strictObject({ files: z.array(TestFile), command: z.string().min(1).optional() });

/** A script that solves it, for those whose reference is no patch. Only `problem check` runs it: files go below /solution. */
const Solution = z.strictObject({ files: z.array(TestFile), command: z.string().min(1) });

/** Rewards by name: with less the next part is not begun. */
const Least = z.record(z.string(), z.number());

/** What is asked of an agent that goes on where it is. */
export const Part = z.strictObject({
  name: z.string().min(1),
  statement: z.string().min(1),
  opening: Opening.optional(),
  tests: ProblemTests,
  solution: Solution.optional(),
  least: Least.optional(),
});
export type Part = z.infer<typeof Part>;

/** One task for an agent, whatever it was made from. */
export const Problem = z.strictObject({
  id: z.string().min(1).max(200),
  /** Image that holds the work directory with one commit and everything installed. */
  image: z.string().min(1),
  workdir: z.string().startsWith('/'),
  statement: z.string().min(1),
  tests: ProblemTests,
  /** A patch that solves it: only `problem check` and scripted oracles use it, no sandbox of a rollout ever holds it. */
  goldPatch: z.string().optional(),
  /** Names (relative to the work directory) that the set-up made and a patch may not touch, like `.venv`. */
  protected: z.array(z.string()).default([]),
  environment: EnvironmentRecipe.optional(),
  /** A Dockerfile and what it copies, by which `image` can be made where it is not known. */
  build: Build.optional(),
  needs: Needs.optional(),
  /** What runs in the sandbox or beside it before an agent begins, in this order. */
  services: z.array(ProblemService).optional(),
  opening: Opening.optional(),
  solution: Solution.optional(),
  /** What the agent is asked next, in the same sandbox, when it submits. The problem itself is the first part. */
  further: z
    .strictObject({ parts: z.array(Part).min(1), reward: z.enum(['mean', 'final']), least: Least.optional() })
    .optional(),
  /** What has to be done to `image` before it is the problem. */
  preparation: Preparation.optional(),
  /** Shell commands run in a fresh container before anything else (SWE-bench-style images that need an activation). */
  provenance: z.record(z.string(), z.unknown()).default({}),
  licence: z.string().optional(),
});
export type Problem = z.infer<typeof Problem>;

/** How many times an agent is asked something. */
export const partsOf = ({ further }: Problem): number => 1 + (further?.parts.length ?? 0);

/** A part as a problem by itself, counted from 0. */
export function partAt(problem: Problem, at: number): Problem & { readonly least?: Readonly<Record<string, number>> } {
  const part = problem.further?.parts[at - 1];
  if (!part) return { ...problem, least: problem.further?.least };
  const { statement, opening, tests, solution, least } = part;
  return { ...problem, statement, opening, tests, solution, least };
}

/**
 * A problem by reference: an id or a folder or a file that the worker finds (see `pointsman problem list`), or a blob that
 * holds it; or the problem itself.
 */
export const ProblemSource = z.union([z.string().min(1), Ref, Problem]);
export type ProblemSource = z.infer<typeof ProblemSource>;

/** Makes a problem from two versions of a project, or from one version and patches. */
export const ProblemInitInput = z
  .strictObject({
    id: z.string().min(1).max(200).optional(),
    before: SourceName,
    /** Version that holds the fix and its tests. */
    after: SourceName.optional(),
    /** Patch that brings the hidden tests, as text or a blob. */
    tests: z.union([z.string(), Ref]).optional(),
    /** Patch that fixes it; with `after` it is the difference of all that is no test. */
    gold: z.union([z.string(), Ref]).optional(),
    statement: z.string().min(1),
    setup: z.array(z.string()).default([]),
    test: z.string().min(1),
    parser: TestParser.default({ kind: 'auto' }),
    timeoutSeconds: z.number().positive().default(1800),
    base: z.string().default(BASE_IMAGE),
    workdir: z.string().startsWith('/').default('/testbed'),
    /** Runs of the tests on the gold patch. */
    runs: z.int().min(2).max(20).default(2),
    licence: z.string().optional(),
  })
  .refine((input) => input.after !== undefined || input.tests !== undefined, 'either after or tests is needed')
  .refine((input) => input.after !== undefined || input.gold !== undefined, 'gold is needed where there is no after');
export type ProblemInitInput = z.infer<typeof ProblemInitInput>;

export const TestOutcome = z.enum(['passed', 'failed', 'error', 'skipped', 'xfailed', 'xpassed']);
export type TestOutcome = z.infer<typeof TestOutcome>;
