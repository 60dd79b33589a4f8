import type { Problem, ProblemControls, Ref, TestOutcome } from '../../contract';
import type { Deps } from '../../deps';
import { canNarrow, inRoom, type Ran, runCommands, runTests, type Scope } from '../../environments/grading/run-tests';
import { labOf } from '../../environments/problem-environment';
import {
  admitted,
  type Controls,
  type Failure,
  failureOf,
  leavingAlone,
  roundsOf,
  type Trial,
} from '../../grading/controls';
import { controlledOf } from '../../grading/plan';
import { findVariants, openLanguages, type TestFile, type Variant, withVariants } from '../../grading/variants';
import { outcomeOf } from '../../problems/outcomes';
import { splitPatch } from '../../problems/patch';
import { fileOfTestId, hiddenPaths, testRoots } from '../../problems/test-files';
import type { Owner } from '../../sandbox/labels';
import type { Guest } from '../../sandbox/sandbox';
import { withHeartbeat } from '../heartbeat';

interface Drafting {
  readonly owner: Owner;
  readonly problem: Ref;
}

export interface ControlTrial extends Drafting {
  readonly draft: Ref;
  /** Which of the draft's wrong expectations are tried, from 0. */
  readonly round: number;
  readonly with: 'gold' | 'nothing';
  /** Which of its constants each has. */
  readonly constants: number;
}

/** Runs of one round at most. */
const HALVINGS = 12;
const isHeard = (outcome: TestOutcome | null) => outcome === 'passed' || outcome === 'failed';

/** FAIL_TO_PASS tests that are tried alone: gradings take a sample of them. */
const ALONE = 12;

export function createControlActivities(deps: Deps) {
  const { blobs, problems } = deps;
  const json = async <T>(ref: Ref) => JSON.parse((await blobs.get(ref.sha256)).toString('utf8')) as T;

  return {
    /** What is known of a problem's tests; null where nobody has looked. */
    async keptControls({ problem }: { problem: Ref }): Promise<ProblemControls | null> {
      return problems.keptControls(problem);
    },

    /**
     * Runs the tests with the reference, reads the files of FAIL_TO_PASS, and proposes wrong expectations. Retry-safe:
     * containers are made anew, and the same files give the same proposals.
     */
    async draftControls({ owner, problem: ref }: Drafting): Promise<{ draft: Ref; rounds: number }> {
      return withHeartbeat(async (signal) => {
        const problem = await problems.kept(ref);
        const draft = await draftOf(deps, owner, problem, signal);
        return { draft: await blobs.put(JSON.stringify(draft)), rounds: roundsOf(draft.variants).length };
      });
    },

    /**
     * Runs the tests with a round of wrong expectations. One that does not compile keeps all others of its program from
     * running: those that were not heard of run again in halves. Retry-safe: containers made anew, a blob.
     */
    async tryControls(input: ControlTrial): Promise<Ref> {
      return withHeartbeat(async (signal) => {
        const problem = await problems.kept(input.problem);
        const draft = await json<Controls>(input.draft);
        let runs = 0;
        const tried = async (variants: readonly Variant[]): Promise<KeptTrial> => {
          const drawn = variants.map((variant) => ({
            variant,
            text: variant.texts[input.constants % variant.texts.length]!,
          }));
          const { files, dropped } = withVariants(draft.files, drawn);
          const { outcomes, failureOf: said } = await runTests(labOf(deps), {
            owner: input.owner,
            role: `try-${input.round}-${input.with}-${input.constants}-${runs++}`,
            problem,
            patch: input.with === 'gold' ? (problem.goldPatch ?? '') : '',
            files,
            scope: draft.narrowed ? { files: draft.files.map(({ path }) => path) } : 'all',
            timeoutSeconds: problem.tests.timeoutSeconds,
            signal,
          });
          const left = new Set(dropped.map(({ variant }) => variant));
          const found = variants
            .filter((variant) => !left.has(variant))
            .map((variant) => ({
              variant,
              tests: variant.tests.map(
                (test) => [test, outcomeOf(outcomes, test) ?? null, failureOf(said(test), variant.path)] as const,
              ),
            }));
          const silent = found.filter(({ tests }) => !tests.some(([, outcome]) => isHeard(outcome)));
          if (input.with === 'nothing' || silent.length < 2 || runs >= HALVINGS)
            return found.flatMap(({ tests }) => tests);
          const again = silent.map(({ variant }) => variant);
          const middle = Math.ceil(again.length / 2);
          return [
            ...found.filter((each) => !silent.includes(each)).flatMap(({ tests }) => tests),
            ...(await tried(again.slice(0, middle))),
            ...(await tried(again.slice(middle))),
          ];
        };
        return blobs.put(JSON.stringify(await tried(roundsOf(draft.variants)[input.round]!)));
      });
    },

    /** Keeps the wrong expectations that are believed. Retry-safe: the same trials keep the same. */
    async keepControls({
      problem: ref,
      draft: drafted,
      trials,
    }: {
      problem: Ref;
      draft: Ref;
      /** Of each round: twice with the reference, then without it. */
      trials: readonly Ref[];
    }): Promise<ProblemControls> {
      return withHeartbeat(async () => {
        const problem = await problems.kept(ref);
        const draft = await json<Controls>(drafted);
        const seen = await Promise.all(trials.map(async (trial) => trialOf(await json<KeptTrial>(trial))));
        const variants = roundsOf(draft.variants).flatMap((round, at) => {
          const [first, second, before] = seen.slice(3 * at, 3 * at + 3) as [Trial, Trial, Trial];
          return round.flatMap((variant) => admitted(variant, [first, second], before) ?? []);
        });
        const has = new Set(variants.flatMap(({ tests }) => tests));
        const known = new Map(draft.without.map(({ test, why }) => [test, why]));
        const without = problem.tests.failToPass
          .filter((test) => !has.has(test))
          .map((test) => ({
            test,
            why: known.get(test) ?? 'no wrong expectation failed as it must when it was tried',
          }));
        const controls: Controls = { ...draft, variants, without };
        const kept = await blobs.put(JSON.stringify(controls));
        const result = { ...controlledOf(problem.tests, controls), without: reasonsOf(without), kept };
        await problems.keepControls(ref, result);
        return result;
      });
    },
  };
}

type KeptTrial = readonly (readonly [test: string, outcome: TestOutcome | null, failure: Failure])[];

function trialOf(kept: KeptTrial): Trial {
  return {
    outcomes: Object.fromEntries(kept.flatMap(([test, outcome]) => (outcome ? [[test, outcome]] : []))),
    failures: new Map(kept.map(([test, , failure]) => [test, failure])),
  };
}

function reasonsOf(without: Controls['without']): ProblemControls['without'] {
  const byReason = new Map<string, string[]>();
  for (const { test, why } of without) byReason.set(why, [...(byReason.get(why) ?? []), test]);
  return Array.from(byReason, ([why, tests]) => ({ why, tests: tests.length, first: tests[0]! }))
    .sort((one, other) => other.tests - one.tests)
    .slice(0, 20);
}

async function draftOf(deps: Deps, owner: Owner, problem: Problem, signal: AbortSignal): Promise<Controls> {
  const { goldPatch: patch, tests } = problem;
  const nothing = { files: [], variants: [], alone: [], narrowed: false, seconds: 0 };
  const none = (why: string): Controls => ({ ...nothing, without: tests.failToPass.map((test) => ({ test, why })) });
  if (patch === undefined) return none('there is no gold patch to try them with');
  const asked = { owner, problem, patch, timeoutSeconds: tests.timeoutSeconds, signal };
  let files: TestFile[] = [];
  let helpers: TestFile[] = [];
  let narrows = false;
  const all: Ran = await inRoom(labOf(deps), { ...asked, role: 'draft', files: [], scope: 'all' }, async (room) => {
    ({ files, helpers } = await testFiles(room.sandbox, problem));
    narrows = canNarrow(
      room,
      problem,
      files.map(({ path }) => path),
    );
    return runCommands(room, { ...asked, scope: 'all' });
  });
  if (all.ended !== 'ran') return none(`the tests did not run with the gold patch: ${all.detail ?? all.ended}`);
  const run = (role: string, scope: Scope) => runTests(labOf(deps), { ...asked, role, files, scope });
  const paths = files.map(({ path }) => path);
  const passes = (ran: Ran, test: string) => outcomeOf(ran.outcomes, test) === 'passed';
  const failToPass = tests.failToPass.filter((test) => passes(all, test));
  const elsewhere = Object.keys(all.outcomes).some((test) => !paths.includes(fileOfTestId(test)));
  // A narrower run is of use only where it runs less, and passes as the whole does.
  const few = narrows && elsewhere ? await run('draft-files', { files: paths }) : undefined;
  const narrowed = few !== undefined && failToPass.every((test) => passes(few, test));
  const some = failToPass.slice(0, ALONE);
  const alone = await run('draft-alone', { alone: some });
  // Ids that name no file may be of these files too.
  const named = tests.failToPass.some((test) => paths.includes(fileOfTestId(test)));
  const kept = new Set(tests.passToPass.filter((test) => !named || paths.includes(fileOfTestId(test))));
  const found = findVariants(await openLanguages(), [...files, ...helpers], [...failToPass, ...kept]);
  return {
    files,
    variants: leavingAlone(found.variants, kept),
    without: found.without.filter(({ test }) => !kept.has(test)),
    alone: some.filter((test) => passes(alone, test)),
    narrowed,
    seconds: all.seconds,
  };
}

/** Bytes of files beside the tests that are read for the helpers in them. */
const HELPERS = 4 << 20;

/**
 * Files that hold FAIL_TO_PASS tests, as they are when the tests run: those that its ids name, else all that the problem
 * brings; beside them what may hold their helpers. One that the gold patch changes is the candidate's to change, and what
 * is no text has no expectation to change.
 */
async function testFiles(sandbox: Guest, problem: Problem): Promise<{ files: TestFile[]; helpers: TestFile[] }> {
  const { tests, workdir } = problem;
  const hidden = hiddenPaths(problem);
  const named = new Set(tests.failToPass.map(fileOfTestId));
  const mended = new Set(splitPatch(problem.goldPatch ?? '').flatMap(({ from, to }) => [from, to]));
  const texts = new Map<string, string>();
  for (const root of new Set([...named, ...hidden, ...testRoots(problem)])) {
    for (const [file, bytes] of await sandbox.read(`${workdir}/${root}`)) {
      const text = bytes.toString('utf8');
      if (Buffer.from(text).equals(bytes)) texts.set(file.slice(workdir.length + 1), text);
    }
  }
  const own = (path: string) => !mended.has(path) || hidden.includes(path);
  const all = Array.from(texts, ([path, text]): TestFile => ({ path, text })).filter(({ path }) => own(path));
  const byId = all.filter(({ path }) => named.has(path));
  const files = byId.length > 0 ? byId : all.filter(({ path }) => hidden.includes(path));
  let left = HELPERS;
  const helpers = all.filter(({ path, text }) => {
    if (files.some((file) => file.path === path)) return false;
    left -= text.length;
    return left > 0;
  });
  return { files, helpers };
}
