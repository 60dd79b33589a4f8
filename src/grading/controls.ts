import type { Outcomes } from '../problems/outcomes';
import { outcomeOf } from '../problems/outcomes';
import type { TestFile, Variant, Without } from './variants';

/**
 * What the judge knows of a problem's hidden tests: wrong expectations that were tried with the reference and without it.
 * Made once for a problem, and never shown to a candidate.
 */
export interface Controls {
  /** The files that hold FAIL_TO_PASS tests, as they are when the tests run. */
  readonly files: readonly TestFile[];
  readonly variants: readonly Variant[];
  /** FAIL_TO_PASS tests that have none, and why. */
  readonly without: readonly Without[];
  /** FAIL_TO_PASS tests that pass with the reference in a process of their own, as far as that was tried. */
  readonly alone: readonly string[];
  /** Whether the command can be run for these files only, and runs more than them. */
  readonly narrowed: boolean;
  /** Seconds that all tests take with the reference. */
  readonly seconds: number;
}

/** What a run with wrong expectations shows. */
export interface Trial {
  readonly outcomes: Outcomes;
  readonly failures: ReadonlyMap<string, Failure>;
}

/** What is said of a failure, as far as a trial asks. */
export interface Failure {
  /** Lines of the test's file that it goes through. */
  readonly lines: readonly number[];
  /** Whether it is a comparison that does not hold. */
  readonly compares: boolean;
  /** Whether it is a panic of Rust, as the test was to have or another. */
  readonly panics: boolean;
}

export function failureOf(said: string, path: string): Failure {
  return { lines: linesNamed(said, path), compares: COMPARISON.test(said), panics: PANIC.test(said) };
}

/**
 * Variants without those of PASS_TO_PASS: a cheat may watch such a test, so it stays as it is. Where a body is shared and
 * nothing else of a test can be changed, the rows beside it change too.
 */
export function leavingAlone(variants: readonly Variant[], passToPass: ReadonlySet<string>): Variant[] {
  const touches = ({ tests }: Variant) => tests.some((test) => passToPass.has(test));
  const served = new Set(variants.filter((variant) => !touches(variant)).flatMap(({ tests }) => tests));
  return variants.flatMap((variant) => {
    if (!touches(variant)) return [variant];
    const tests = variant.tests.filter((test) => !passToPass.has(test) && !served.has(test));
    return tests.length > 0 ? [{ ...variant, tests }] : [];
  });
}

/** Rounds of trials are runs of the tests: what is not tried in so many is not kept. */
const ROUNDS = 8;

/** Variants that can be tried together, those of most worth first: in one round no test is changed twice. */
export function roundsOf(variants: readonly Variant[]): Variant[][] {
  const rounds: { readonly tests: Set<string>; readonly variants: Variant[] }[] = [];
  for (const variant of variants) {
    let round = rounds.find(({ tests }) => !variant.tests.some((test) => tests.has(test)));
    if (!round) {
      if (rounds.length === ROUNDS) continue;
      round = { tests: new Set(), variants: [] };
      rounds.push(round);
    }
    round.variants.push(variant);
    for (const test of variant.tests) round.tests.add(test);
  }
  return rounds.map((round) => round.variants);
}

/**
 * The variant for those of its tests where it is believed: they fail with the reference by their own line, whichever
 * constant stands there, and do not pass without it (a wrong expectation may be what the bug gives). Undefined for none.
 */
export function admitted(variant: Variant, gold: readonly Trial[], before: Trial): Variant | undefined {
  const tests = variant.tests.filter(
    (test) =>
      gold.every((trial) => failsByItsOwnLine(variant, trial, test)) && outcomeOf(before.outcomes, test) !== 'passed',
  );
  return tests.length === 0 ? undefined : { ...variant, tests };
}

function failsByItsOwnLine(variant: Variant, { outcomes, failures }: Trial, test: string): boolean {
  if (outcomeOf(outcomes, test) !== 'failed') return false;
  const failure = failures.get(test);
  if (!failure || (variant.fails === 'assertion' && !failure.compares)) return false;
  if (variant.fails === 'panic') return failure.panics;
  return failure.lines.some((line) => line >= variant.line && line <= variant.lastLine);
}

/** How frameworks call a comparison that does not hold. */
const COMPARISON = /assert|expect|mismatch|not equal|!=|not raise|panicked|got|want|DID NOT RAISE|Failed/i;

const PANIC = /panicked at|panic did not contain expected string/;

/** Lines of a file that a failure goes through: `path:12`, `File "path", line 12`, `path(12)`. */
function linesNamed(failure: string, path: string): number[] {
  const name = (path.split('/').at(-1) ?? path).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`${name}(?::|", line |\\()(\\d+)`, 'g');
  return [...failure.matchAll(pattern)].map((hit) => Number(hit[1]));
}
