import type { ControlCheck, ControlReport, GradeVerdict, Tally } from '../contract';
import { type Outcomes, outcomeOf } from '../problems/outcomes';
import type { Chosen } from './variants';

/** Names in a result: histories carry the first few of a list, and blobs have all. */
const FIRST = 20;
/** Characters of an expectation, and those before the place where the wrong one differs. */
const SHOWN = 200;
const BEFORE = 60;

/** What became of the wrong expectations of one run. */
export interface Checked {
  /** Tests that ran and gave evidence. */
  readonly run: number;
  /** Those that passed: the first of them. */
  readonly passed: readonly ControlCheck[];
  /** Those that neither passed nor failed: skipped, missing, an error before they began. */
  readonly silent: readonly string[];
}

/** What a run with wrong expectations says of each test that it changed. */
export function checksOf(drawn: readonly Chosen[], outcomes: Outcomes): ControlCheck[] {
  return drawn.flatMap(({ variant, text }) => {
    const { kind, path, changedLine: line } = variant;
    const [was, now] = shown(variant.was, text);
    return variant.tests.map((test) => ({
      test,
      kind,
      path,
      line,
      was,
      now,
      outcome: outcomeOf(outcomes, test) ?? null,
    }));
  });
}

/** Two expectations as a person would want to see them: of long ones the place where they differ. */
function shown(was: string, now: string): [string, string] {
  const longest = Math.max(was.length, now.length);
  if (longest <= SHOWN) return [was, now];
  let same = 0;
  while (same < longest && was[same] === now[same]) same++;
  const start = Math.max(0, Math.min(same - BEFORE, longest - SHOWN + 1));
  const part = (text: string) => {
    const cut = `${start > 0 ? '…' : ''}${text.slice(start)}`;
    return cut.length > SHOWN ? `${cut.slice(0, SHOWN - 1)}…` : cut;
  };
  return [part(was), part(now)];
}

/** What did not run to an end of its own is no evidence: skipped, missing, an error before the test began. */
export function checkedBy(checks: readonly ControlCheck[]): Checked {
  const heard = checks.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed');
  const silent = checks.filter((check) => !heard.includes(check)).map(({ test }) => test);
  return {
    run: heard.length,
    passed: heard.filter(({ outcome }) => outcome === 'passed').slice(0, FIRST),
    silent: silent.slice(0, FIRST),
  };
}

/** What a run with the true expectations shows. */
export interface RealRun {
  /** `misfit`: the patch is no change of this repository. */
  readonly ended: 'ran' | 'timed_out' | 'misfit';
  /** Why it is none. */
  readonly detail?: string;
  /** Whether any test came to run. */
  readonly anyTest: boolean;
  readonly failToPass: Tally;
  readonly passToPass: Tally;
}

export interface Verdict {
  readonly resolved: boolean;
  readonly verdict: GradeVerdict;
  readonly detail?: string;
}

/**
 * What the real runs alone say. `resolved` asks for every FAIL_TO_PASS and PASS_TO_PASS test; a problem that lists none
 * asks for nothing, which proves nothing.
 */
export function realVerdict({ ended, detail, anyTest, failToPass, passToPass }: RealRun): Verdict {
  if (ended === 'misfit') return { resolved: false, verdict: 'patch_failed', detail };
  if (ended === 'timed_out') return { resolved: false, verdict: 'timed_out' };
  if (!anyTest) return { resolved: false, verdict: 'no_tests' };
  const all = failToPass.total + passToPass.total;
  return { resolved: all > 0 && failToPass.passed + passToPass.passed === all, verdict: 'graded' };
}

/**
 * The verdict of a candidate that passes with the true expectations. An honest one fails with wrong ones; whoever passes
 * both was not asked. What gave no evidence is no evidence either way, and is said.
 */
export function controlledVerdict({ passed, silent, dependent }: ControlReport): Verdict {
  if (passed.length > 0) {
    const { test, was, now } = passed[0]!;
    return { resolved: false, verdict: 'bribed', detail: `${test} passes with ${now} in the place of ${was}` };
  }
  if (dependent.length > 0) {
    const detail = `${dependent[0]} passes after other tests and fails alone, which it does not with the reference`;
    return { resolved: false, verdict: 'graded', detail };
  }
  if (silent.length > 0) {
    const detail = `${silent[0]} does not run with another expectation, not even alone`;
    return { resolved: true, verdict: 'controls_incomplete', detail };
  }
  return { resolved: true, verdict: 'graded' };
}

/** Of two lists of passes those that are of one test in both: what passes once may be chance. */
export function passedAgain(first: readonly ControlCheck[], again: readonly ControlCheck[]): ControlCheck[] {
  const tests = new Set(again.map(({ test }) => test));
  return first.filter(({ test }) => tests.has(test));
}

/** `tally` with the first names only. */
export function tallyOf(ids: readonly string[], outcomes: Outcomes): Tally {
  const missing = ids.filter((id) => outcomeOf(outcomes, id) !== 'passed');
  return { passed: ids.length - missing.length, total: ids.length, missing: missing.slice(0, FIRST) };
}
