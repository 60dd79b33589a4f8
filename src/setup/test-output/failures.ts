import { readRun, type TestRun } from './index';
import type { TestReading } from './reading';

/** Stands for a test run that went wrong as a whole, where a failure has no test's name. */
export const WHOLE_RUN = 'the test run';

/** How a run of tests came to its end. */
export interface Ended {
  /** Null when it was killed, or where nothing ran. */
  readonly exitCode: number | null;
  readonly output: string;
  readonly timedOut: boolean;
}

/**
 * Why a run wants explaining as a whole: it was stopped at its deadline (`stopped`), it says itself that not all tests had
 * their turn (`cut`), it ended with more than its tests account for (`ended`), something failed that has no name
 * (`unnamed`), or tests of another framework failed in the same output (`beside`). `said` is what there is to explain it from.
 */
export interface Whole {
  readonly kind: 'stopped' | 'cut' | 'ended' | 'unnamed' | 'beside';
  readonly why: string;
  readonly said: string;
}

export interface RunFailures {
  readonly run: TestRun;
  readonly named: readonly string[];
  readonly whole: Whole | null;
}

/** Every failure that a test run has, for whoever is to explain it: those with a name, and the run as a whole. */
export function failuresOf(command: string, ended: Ended): RunFailures {
  const run = readRun(command, ended.output);
  return { run, named: run.reading?.failures ?? [], whole: wholeOf(command, run, ended) };
}

function wholeOf(command: string, run: TestRun, { exitCode, output, timedOut }: Ended): Whole | null {
  const { reading } = run;
  if (timedOut) return { kind: 'stopped', why: 'it was stopped at its deadline', said: '' };
  if (reading && reading.cut !== '') {
    return { kind: 'cut', why: `not all tests had their turn: ${reading.cut.split('\n')[0]}`, said: reading.cut };
  }
  if (reading && reading.unnamed > 0) {
    return { kind: 'unnamed', why: `${reading.unnamed} failures have no name`, said: output };
  }
  if (exitCode === 0) return null;
  if (!reading || reading.failures.length === 0) {
    return { kind: 'ended', why: `it ended with ${exitCode ?? 'nothing'} and named no test that failed`, said: output };
  }
  const beside = run.failingBeside();
  if (beside) return { kind: 'beside', why: `tests of ${beside.framework} failed beside it`, said: output };
  if (saysMore(command, reading, exitCode)) {
    return {
      kind: 'ended',
      why: `it ended with ${exitCode ?? 'nothing'}, which is more than tests that failed`,
      said: output,
    };
  }
  return null;
}

/** What ends a pytest that was interrupted, or that broke. */
const PYTEST_BROKE = [2, 3];

/** Whether an exit code tells of more than tests that failed: a signal, a program that is not there, or pytest itself. */
function saysMore(command: string, { framework, counts }: TestReading, exitCode: number | null): boolean {
  if (exitCode === null || exitCode === 126 || exitCode === 127) return true;
  // Some runners end with the number of failures.
  if (exitCode > 128) return exitCode !== 255 && exitCode !== counts.failed + counts.errors;
  const own = /\bpy\.?test\b/.test(command) && !/\b(?:make|tox|nox)\b/.test(command);
  return framework === 'pytest' && own && PYTEST_BROKE.includes(exitCode);
}

/** Lines in which a runner that is not known here says that tests failed, or that something they need is not there. */
const UNREAD =
  /^[ \t]*(?:not ok\b|FAIL(?:ED|URE)?!?(?::|\s|$)|[✗✘✖] |Segmentation fault|Aborted\b|Bus error)|\b[1-9]\d* (?:of \d+ )?(?:(?:unit )?(?:tests?|checks?|assertions?|cases?) )?(?:failed|failures?|failing)\b|\bAssertion [`'"].{0,300} failed\b|\berror while loading shared libraries\b|\bcannot open shared object file\b|\bfatal error: \S{1,300}: No such file|\bcannot find -l\w|\bundefined reference to\b|^[^\s:]+\.\w+:\d+(?::\d+)?: (?:fatal )?error:/m;

/** Whether a run that ended badly and counted nothing was nevertheless one of tests: then no smoke test stands in for it. */
export function failedUncounted({ exitCode, output }: Pick<Ended, 'exitCode' | 'output'>): boolean {
  return exitCode !== 0 && UNREAD.test(output);
}
