import type { ProblemTests, TestOutcome } from '../contract/problem';

/** Outcome by test id. */
export type Outcomes = Readonly<Record<string, TestOutcome>>;

/** Whether an id names a test that began; a file that could not be imported is reported under an id of its own. */
export function isTest(id: string): boolean {
  return !id.endsWith('::<collect>');
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
