import type { Problem, ProblemCheckResult, Tally, TestLists } from '../contract';
import { type Comparison, compareRuns, type Outcomes, outcomeOf, resolves } from './outcomes';

/** One run of all tests, as far as a check asks. */
export interface CheckedRun {
  /** `misfit`: the patch does not apply. */
  readonly ended: 'ran' | 'timed_out' | 'misfit';
  readonly anyTest: boolean;
  readonly failToPass: Tally;
  readonly passToPass: Tally;
}

interface Runs<Each> {
  readonly noop: Each;
  readonly gold: readonly Each[];
}

/** Names in a reason. */
const NAMED = 5;

/**
 * Whether a problem can tell a fix from no fix: the gold patch resolves it in every run, doing nothing does not, and no
 * test that counts is flaky. A problem whose lists are still empty is judged by the lists that the runs give, which leave
 * flaky tests out.
 */
export function checkOf(
  problem: Problem,
  runs: Runs<CheckedRun>,
  outcomes: Runs<Outcomes>,
  log: string,
): Omit<ProblemCheckResult, 'outcomes' | 'lists' | 'controls'> & { readonly tests: TestLists } {
  const measured = compareRuns(outcomes.noop, outcomes.gold);
  const listed = problem.tests.failToPass.length + problem.tests.passToPass.length > 0;
  const tests = listed ? problem.tests : measured;
  const whole = (run: CheckedRun) => run.ended === 'ran' && run.anyTest;
  const oracle =
    runs.gold.every((run, at) => whole(run) && resolves(tests, outcomes.gold[at]!)) && tests.failToPass.length > 0;
  const noop = whole(runs.noop) && resolves(tests, outcomes.noop);
  const counted = new Set([...tests.failToPass, ...tests.passToPass]);
  const flaky = listed ? measured.flaky.filter((id) => counted.has(id)) : measured.flaky;
  const reasons = reasonsOf(problem, runs, tests, measured, { oracle, noop, flaky: listed ? flaky : [] }, log);
  const lists = !listed
    ? measured
    : problem.provenance.unsplit === true
      ? split(counted, measured)
      : intersect(tests, measured);
  const passes = (id: string) => outcomes.gold.filter((run) => outcomeOf(run, id) === 'passed').length;
  return {
    id: problem.id,
    oracle: oracle ? 1 : 0,
    noop: noop ? 1 : 0,
    flaky: flaky.length,
    failToPass: lists.failToPass.length,
    passToPass: lists.passToPass.length,
    tests: {
      failToPass: [...lists.failToPass],
      passToPass: [...lists.passToPass],
      flaky: flaky.map((test) => ({ test, passed: passes(test), of: outcomes.gold.length })),
    },
    admitted: reasons.length === 0,
    reasons,
  };
}

/** Of the problem's own lists what the runs confirm, in the measured order. */
function intersect(
  tests: Problem['tests'] | Comparison,
  measured: Comparison,
): Pick<Comparison, 'failToPass' | 'passToPass'> {
  const keep = (own: readonly string[], seen: readonly string[]) => {
    const set = new Set(seen);
    return own.filter((id) => set.has(id));
  };
  return {
    failToPass: keep(tests.failToPass, measured.failToPass),
    passToPass: keep(tests.passToPass, measured.passToPass),
  };
}

/** Rows that say which tests must pass but not which of them failed before: the runs say it. */
function split(counted: ReadonlySet<string>, measured: Comparison): Pick<Comparison, 'failToPass' | 'passToPass'> {
  return {
    failToPass: measured.failToPass.filter((id) => counted.has(id)),
    passToPass: measured.passToPass.filter((id) => counted.has(id)),
  };
}

function reasonsOf(
  problem: Problem,
  runs: Runs<CheckedRun>,
  tests: Pick<Comparison, 'failToPass' | 'passToPass'>,
  measured: Comparison,
  found: { oracle: boolean; noop: boolean; flaky: readonly string[] },
  log: string,
): string[] {
  const reasons: string[] = [];
  if (problem.goldPatch === undefined && problem.solution === undefined)
    reasons.push('there is neither a gold patch nor a solution, so nothing shows that it can be solved');
  if (tests.failToPass.length === 0) reasons.push('no test fails before the gold patch and passes after it');
  if (!found.oracle) {
    const broken =
      runs.gold.find(({ failToPass, passToPass }) => failToPass.missing.length + passToPass.missing.length > 0) ??
      runs.gold[0];
    const missing = [...(broken?.failToPass.missing ?? []), ...(broken?.passToPass.missing ?? [])].slice(0, NAMED);
    const how = !broken || broken.ended === 'ran' ? (broken?.anyTest ? [] : ['no test ran']) : [ENDED[broken.ended]];
    reasons.push(`the gold patch does not resolve it: ${[...how, ...missing].join(', ')}; ${log.trim().slice(-300)}`);
  }
  if (found.noop) reasons.push('doing nothing resolves it');
  if (found.flaky.length > 0) reasons.push(`flaky: ${found.flaky.slice(0, NAMED).join(', ')}`);
  const confirmed = new Set(measured.failToPass);
  const already = problem.provenance.unsplit === true ? [] : tests.failToPass.filter((id) => !confirmed.has(id));
  if (found.oracle && already.length > 0)
    reasons.push(`passes without the gold patch: ${already.slice(0, NAMED).join(', ')}`);
  return reasons;
}

const ENDED = { timed_out: 'the tests did not end in time', misfit: 'it does not apply' } as const;
