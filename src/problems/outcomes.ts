import type { ProblemTests, TestOutcome } from '../contract/problem';

/** Outcome by test id. */
export type Outcomes = Readonly<Record<string, TestOutcome>>;

/** One phase of one test, as the framework reported it. */
export interface PhaseReport {
  readonly id: string;
  readonly when: 'setup' | 'call' | 'teardown' | 'collect';
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** The test carries an expected-failure mark: passing is then not what its author expected. */
  readonly expectedFailure: boolean;
}

/**
 * Folds phases (and subtests, which report under their test's id) into one outcome a test. A failure anywhere holds
 * against everything else; otherwise the first thing said of the test holds, so a late pass cannot mend a skip.
 */
export function foldReports(reports: Iterable<PhaseReport>): Record<string, TestOutcome> {
  const outcomes = new Map<string, TestOutcome>();
  for (const { id, when, outcome, expectedFailure } of reports) {
    const known = outcomes.get(id);
    if (outcome === 'failed') outcomes.set(id, when === 'call' ? 'failed' : 'error');
    else if (known !== undefined) continue;
    else if (outcome === 'skipped') outcomes.set(id, expectedFailure ? 'xfailed' : 'skipped');
    else if (when === 'call') outcomes.set(id, expectedFailure ? 'xpassed' : 'passed');
  }
  return Object.fromEntries(outcomes);
}

export interface Tally {
  passed: number;
  total: number;
  /** Ids that did not pass, be it that they failed, were skipped or never ran. */
  missing: string[];
}

export function tally(ids: readonly string[], outcomes: Outcomes): Tally {
  const missing = ids.filter((id) => outcomeOf(outcomes, id) !== 'passed');
  return { passed: ids.length - missing.length, total: ids.length, missing };
}

/** All tests of both lists passed. Lists that are both empty ask for nothing, which proves nothing. */
export function resolves(tests: Pick<ProblemTests, 'failToPass' | 'passToPass'>, outcomes: Outcomes): boolean {
  const ids = [...tests.failToPass, ...tests.passToPass];
  return ids.length > 0 && ids.every((id) => outcomeOf(outcomes, id) === 'passed');
}

export interface Comparison {
  readonly failToPass: string[];
  readonly passToPass: string[];
  /** Tests whose outcome differs between runs of the same code. */
  readonly flaky: string[];
}

/**
 * What the gold patch changes: FAIL_TO_PASS passes in every gold run and not before, PASS_TO_PASS in all runs. A test
 * that is not the same in every gold run is in neither.
 */
export function compareRuns(before: Outcomes, gold: readonly Outcomes[]): Comparison {
  const ids = [...new Set(gold.flatMap((run) => Object.keys(run)))].sort();
  const flaky = ids.filter((id) => gold.some((run) => outcomeOf(run, id) !== outcomeOf(gold[0]!, id)));
  const steady = ids.filter((id) => gold.every((run) => outcomeOf(run, id) === 'passed'));
  return {
    failToPass: steady.filter((id) => outcomeOf(before, id) !== 'passed'),
    passToPass: steady.filter((id) => outcomeOf(before, id) === 'passed'),
    flaky,
  };
}

/** A test may be called `constructor`: only own properties are outcomes. */
export function outcomeOf(outcomes: Outcomes, id: string): TestOutcome | undefined {
  return Object.hasOwn(outcomes, id) ? outcomes[id] : undefined;
}
