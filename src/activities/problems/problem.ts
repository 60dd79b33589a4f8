import { isAbsolute } from 'node:path';
import {
  type Needs,
  PointsmanError,
  Problem,
  type ProblemInitInput,
  type ProblemSource,
  parseInput,
  partAt,
  partsOf,
  type Ref,
  type TestLists,
} from '../../contract';
import type { Deps } from '../../deps';
import { assembleProblem } from '../../environments/assemble';
import {
  buildEnvironment,
  type Environment,
  ensureProblemImage,
  imageOf,
} from '../../environments/problem-environment';
import type { OverParts } from '../../grading/reward';
import type { Owner } from '../../sandbox/labels';
import { withHeartbeat } from '../heartbeat';

/** What a workflow may know of a problem: small, and without the tests. */
export interface LoadedProblem {
  readonly ref: Ref;
  readonly id: string;
  readonly image: string;
  readonly workdir: string;
  /** Tests that decide: FAIL_TO_PASS and PASS_TO_PASS together. */
  readonly tests: number;
  readonly needs?: Needs;
  /** Given where the tests judge the agent's own sandbox: seconds that they may take. */
  readonly judgedThere?: number;
  /** Given where there are several: seconds that the tests of each part may take. */
  readonly parts?: readonly PartToJudge[];
  /** Given where the mean of the parts is not their verdict. */
  readonly over?: OverParts;
  /** Whether something runs in its sandbox or beside it that no frame of a rollout holds. */
  readonly services?: boolean;
}

export interface PartToJudge {
  readonly seconds: number;
  readonly least?: Readonly<Record<string, number>>;
}

export function createProblemActivities(deps: Deps) {
  const { blobs, problems } = deps;

  return {
    /**
     * Finds a problem, refuses one that cannot be graded (`InvalidInput`), and keeps it as a blob whose hash workflows
     * carry. One without lists can be graded only after it was measured, which `toMeasure` says is about to happen.
     * Retry-safe: the same problem is the same blob.
     */
    async loadProblem({
      problem: source,
      toMeasure = false,
    }: {
      problem: ProblemSource;
      toMeasure?: boolean;
    }): Promise<LoadedProblem> {
      return withHeartbeat(async () => {
        const problem = parseInput(Problem, await problems.find(source), 'problem');
        assertGradable(problem, toMeasure);
        const { id, workdir, tests } = problem;
        const total = tests.failToPass.length + tests.passToPass.length;
        const { needs } = problem;
        return {
          ref: await problems.keep(problem),
          id,
          image: imageOf(problem),
          workdir,
          tests: total,
          ...(needs ? { needs } : {}),
          ...(tests.at === undefined ? {} : { judgedThere: tests.timeoutSeconds }),
          ...(problem.further ? { parts: partsToJudge(problem), over: problem.further.reward } : {}),
          ...(problem.services ? { services: true } : {}),
        };
      });
    },

    /** Puts the problem's image on this host, building it where its recipe is known. Retry-safe: one that is there is taken. */
    async ensureImage({ owner, problem: ref }: { owner: Owner; problem: Ref }): Promise<{ image: string }> {
      return withHeartbeat(async (signal) => ({
        image: await ensureProblemImage(deps, owner, await problems.kept(ref), signal),
      }));
    },

    /** Fetches the sources and builds the environment image. Retry-safe: see `buildEnvironment`. */
    async buildProblemImage({ owner, input }: { owner: Owner; input: ProblemInitInput }): Promise<Environment> {
      return withHeartbeat((signal) => {
        const { before: source, base, setup, workdir } = input;
        return buildEnvironment(deps, owner, { source, base, setup }, workdir, signal);
      });
    },

    /** Works out hidden tests and gold patch; the lists are still empty. Retry-safe: a throw-away container, one blob. */
    async draftProblem(input: {
      owner: Owner;
      input: ProblemInitInput;
      environment: Environment;
    }): Promise<{ problem: Ref; gold: Ref; id: string; files: number }> {
      return withHeartbeat(async (signal) => {
        // This may be another host than the one that built: what follows from the recipe is made here too.
        const { recipe } = input.environment;
        const environment = await buildEnvironment(deps, input.owner, recipe, input.input.workdir, signal);
        const problem = await assembleProblem(deps, input.owner, input.input, environment, signal);
        return {
          problem: await problems.keep(problem),
          gold: await blobs.put(problem.goldPatch ?? ''),
          id: problem.id,
          files: problem.tests.files.length,
        };
      });
    },

    /** Writes the measured lists into the problem. Retry-safe: a pure function into the blob store. */
    async finishProblem({ problem: ref, lists }: { problem: Ref; lists: Ref }): Promise<{ problem: Ref }> {
      const problem = await problems.kept(ref);
      const { failToPass, passToPass } = JSON.parse((await blobs.get(lists.sha256)).toString('utf8')) as TestLists;
      return { problem: await problems.keep({ ...problem, tests: { ...problem.tests, failToPass, passToPass } }) };
    },

    /** The reference solution of a problem as a blob, empty where it has none. Only checks ask for it. */
    async goldPatch({ problem: ref }: { problem: Ref }): Promise<{ patch: Ref }> {
      return { patch: await blobs.put((await problems.kept(ref)).goldPatch ?? '') };
    },

    /** A patch that came as text, as a blob. */
    async keepPatch({ patch }: { patch: string }): Promise<{ patch: Ref }> {
      return { patch: await blobs.put(patch) };
    },
  };
}

function partsToJudge(problem: Problem): PartToJudge[] {
  return Array.from({ length: partsOf(problem) }, (_, at) => {
    const { tests, least } = partAt(problem, at);
    return { seconds: tests.timeoutSeconds, ...(least ? { least } : {}) };
  });
}

/** What no schema says: a work directory that is one, tests that exist, files that are not each other's folders. */
export function assertGradable(problem: Problem, toMeasure = false): void {
  const { failToPass, passToPass, files } = problem.tests;
  const refuse = (field: string, why: string, hint: string): never => {
    throw new PointsmanError('InvalidInput', `problem ${problem.id}: ${field}: ${why}`, hint);
  };
  if (!isAbsolute(problem.workdir) || /^\/(bin|dev|etc|lib|proc|sbin|sys|usr|)\/?$/.test(problem.workdir)) {
    refuse('workdir', `${problem.workdir} is no work directory`, 'Use a folder of its own, like /testbed.');
  }
  const awaitsLists = toMeasure && failToPass.length + passToPass.length === 0;
  if (failToPass.length === 0 && !awaitsLists)
    refuse('tests.failToPass', 'is empty, so nothing could be resolved', 'Measure it with `pointsman problem check`.');
  const kept = new Set(passToPass);
  const both = failToPass.find((id) => kept.has(id));
  if (both !== undefined)
    refuse('tests', `${both} is in failToPass and in passToPass`, 'A test either failed before or it did not.');
  const twice = files.find((file, at) => files.findIndex((other) => other.path === file.path) !== at);
  if (twice) refuse('tests.files', `${twice.path} is there twice`, 'Keep one of them.');
}
