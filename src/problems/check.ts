import type { GradeResult, Problem, ProblemCheckResult } from '../contract/problem';
import { type Comparison, compareRuns, type Outcomes, resolves } from './outcomes';

/**
 * Whether a problem can tell a fix from no fix: the gold patch resolves it in every run, doing nothing does not, and no
 * test that counts is flaky. A problem whose lists are still empty is judged by the lists that the runs give.
 */
export function checkOf(
  problem: Problem,
  grades: { noop: GradeResult; gold: readonly GradeResult[] },
  runs: { noop: Outcomes; gold: readonly Outcomes[] },
  log: string,
): Omit<ProblemCheckResult, 'outcomes'> {
  const measured = compareRuns(runs.noop, runs.gold);
  const listed = problem.tests.failToPass.length + problem.tests.passToPass.length > 0;
  const tests = listed ? problem.tests : measured;
  const honest = (grade: GradeResult) =>
    grade.verdict === 'graded' && !grade.flags.some((flag) => flag.kind === 'session_cut');
  const oracle =
    grades.gold.every((grade, at) => honest(grade) && resolves(tests, runs.gold[at]!)) && tests.failToPass.length > 0;
  const noop = honest(grades.noop) && resolves(tests, runs.noop);
  const counted = new Set([...tests.failToPass, ...tests.passToPass]);
  const flaky = listed ? measured.flaky.filter((id) => counted.has(id)) : measured.flaky;
  const reasons = reasonsOf(problem, grades, tests, measured, { oracle, noop, flaky: listed ? flaky : [] }, log);
  const lists = !listed
    ? measured
    : problem.provenance.unsplit === true
      ? split(counted, measured)
      : intersect(tests, measured);
  return {
    id: problem.id,
    oracle: oracle ? 1 : 0,
    noop: noop ? 1 : 0,
    flaky,
    failToPass: [...lists.failToPass],
    passToPass: [...lists.passToPass],
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
  grades: { noop: GradeResult; gold: readonly GradeResult[] },
  tests: Pick<Comparison, 'failToPass' | 'passToPass'>,
  measured: Comparison,
  found: { oracle: boolean; noop: boolean; flaky: readonly string[] },
  log: string,
): string[] {
  const reasons: string[] = [];
  if (problem.goldPatch === undefined) reasons.push('there is no gold patch, so nothing shows that it can be solved');
  if (tests.failToPass.length === 0) reasons.push('no test fails before the gold patch and passes after it');
  if (!found.oracle) {
    const broken = grades.gold.find((grade) => !grade.resolved) ?? grades.gold[0];
    const missing = [...(broken?.failToPass.missing ?? []), ...(broken?.passToPass.missing ?? [])].slice(0, 5);
    const flags = (broken?.flags ?? []).map((flag) => `${flag.kind} (${flag.detail})`).slice(0, 3);
    reasons.push(
      `the gold patch does not resolve it: ${[broken?.verdict, ...missing, ...flags].join(', ')}; ${log.trim().slice(-300)}`,
    );
  }
  if (found.noop) reasons.push('doing nothing resolves it');
  if (found.flaky.length > 0) reasons.push(`flaky: ${found.flaky.slice(0, 5).join(', ')}`);
  const confirmed = new Set(measured.failToPass);
  const already = problem.provenance.unsplit === true ? [] : tests.failToPass.filter((id) => !confirmed.has(id));
  if (found.oracle && already.length > 0)
    reasons.push(`passes without the gold patch: ${already.slice(0, 5).join(', ')}`);
  return reasons;
}
