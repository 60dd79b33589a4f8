import type { TestCounts } from '../../contract';

/** What a test run says of itself. */
export interface TestReading {
  readonly framework: string;
  readonly counts: TestCounts;
  /** Names of tests (or files, or packages) that failed, as the framework prints them; each once. */
  readonly failures: readonly string[];
  /** Those of the failures that are a file, a suite or a package instead of a test: it was not even loaded. */
  readonly unloaded: readonly string[];
  /** Failures that were counted and that no name stands for. */
  readonly unnamed: number;
  /** Lines that say that the run ended before all tests had their turn; empty where none does. */
  readonly cut: string;
}

/** Lines of an output, colours and overwritten progress gone. */
export type Lines = readonly string[];

/** What a reader finds; what it leaves out is: one failure for each name, nothing unloaded, nothing cut. */
interface Found extends Pick<TestReading, 'counts' | 'failures'>, Partial<Pick<TestReading, 'unloaded' | 'cut'>> {
  /** How many failures the names stand for, which one of them may do for several. */
  readonly named?: number;
}

/** One framework's closing words. Null where the output holds none of them. */
export interface TestReader {
  readonly framework: string;
  /** A command that names it; decides between frameworks that appear in the same output. */
  readonly command: RegExp;
  /** It runs other programs as its tests: what those print of their own tests is part of its own. */
  readonly runsOthers?: boolean;
  /** Which lines speak of which failure; null where its output does not tell them apart. */
  readonly reports: Reports | null;
  read(lines: Lines): Found | null;
}

export function linesOf(output: string): string[] {
  return (
    output
      // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are what is taken out.
      .replace(/\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*\u0007|[()][A-Z0-9])/g, '')
      .split('\n')
      .map((line) => line.replace(/(?<!\r)\r+$/, ''))
      .map((line) => line.slice(line.lastIndexOf('\r') + 1))
  );
}

/** What runners of a workspace put before each line of a package: `packages/a test: `, `a:test: `, `[pkg-a]: `, `pkg-a: `. */
const PACKAGE = /^(\[[^\]\s]{1,60}\]:? |@?[\w./-]{1,60}(?:[: ][\w:.-]{1,40})?: )/;

/**
 * The lines of a workspace's packages without what stands before each of them, the lines of each package together; null
 * where no such word is before at least two lines.
 */
export function withoutPackages(lines: Lines): Lines | null {
  const packages = new Map<string, string[]>();
  const rest: string[] = [];
  for (const line of lines) {
    // An empty line of a package has lost the blank at its end.
    const word = PACKAGE.exec(`${line} `)?.[1];
    if (word === undefined) rest.push(line);
    else {
      const own = packages.get(word);
      if (own) own.push(line.slice(word.length));
      else packages.set(word, [line.slice(word.length)]);
    }
  }
  const common = [...packages.values()].filter((own) => own.length > 1);
  return common.length === 0 ? null : [...common.flat(), ...rest];
}

export type Outcomes = { passed?: number; failed?: number; skipped?: number; errors?: number };

/** What ran is what has an outcome: tests that a filter left out do not count as collected. */
function countsOf({ passed = 0, failed = 0, skipped = 0, errors = 0 }: Outcomes): TestCounts {
  const whole = (value: number) => Math.max(0, Math.floor(value));
  const counts = { passed: whole(passed), failed: whole(failed), skipped: whole(skipped), errors: whole(errors) };
  return { collected: counts.passed + counts.failed + counts.skipped + counts.errors, ...counts };
}

/** Sum over several runs in one output; null for none. */
export function summed(runs: readonly Outcomes[]): TestCounts | null {
  if (runs.length === 0) return null;
  const sum = (key: keyof Outcomes) => runs.reduce((total, run) => total + (run[key] ?? 0), 0);
  return countsOf({ passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped'), errors: sum('errors') });
}

/** Zero tests, which is something else than a framework that was not recognised. */
export function noneFound(lines: Lines, said: RegExp): Found | null {
  return lines.some((line) => said.test(line)) ? { counts: countsOf({}), failures: [] } : null;
}

/** Groups of each line that a pattern fits. */
export function matches(lines: Lines, pattern: RegExp): RegExpExecArray[] {
  return lines.map((line) => pattern.exec(line)).filter((hit) => hit !== null);
}

/** First groups of the lines that a pattern fits: the names each once, and how many lines there were. */
export function named(lines: Lines, pattern: RegExp): { failures: string[]; named: number } {
  const all = matches(lines, pattern).map((hit) => hit[1]!.trim());
  return { failures: [...new Set(all)], named: all.length };
}

/** `3 passed, 1 failed` by word; what stands before the first number is left out. */
export function tallyOf(text: string, separator: RegExp = /,\s*/): Record<string, number> {
  const tally: Record<string, number> = {};
  for (const part of text.split(separator)) {
    const hit = /(?<!\d)(\d+) ([a-z]+(?: [a-z]+)?)/.exec(part);
    if (hit) tally[hit[2]!] = (tally[hit[2]!] ?? 0) + Number(hit[1]);
  }
  return tally;
}

/** What an output says of one failure. */
export interface Report {
  readonly test: string;
  readonly lines: readonly string[];
  /** Only a line of a list beside the reports, which has the reason in short, or not at all. */
  readonly listed?: boolean;
}

/** How one framework's output is taken apart. */
export interface Reports {
  of(lines: Lines): Report[];
  /** Whether a report is about a test; the two may name it in different words. */
  same(report: string, test: string): boolean;
}

export const equal = (report: string, test: string): boolean => report === test;

/** Reports that begin with a line that has the name in a group, and go on to the next or to a line that ends them. */
export function between(begins: RegExp, ends: RegExp, same: Reports['same'] = equal): Reports {
  return {
    same,
    of(lines) {
      const reports: { test: string; lines: string[] }[] = [];
      let open: string[][] = [];
      let began = false;
      for (const line of lines) {
        const test = begins
          .exec(line)
          ?.slice(1)
          .find((group) => group !== undefined)
          ?.trim();
        if (test !== undefined) {
          const own = [line];
          reports.push({ test, lines: own });
          // Several names on top of each other share what comes below.
          open = began ? [...open, own] : [own];
        } else if (ends.test(line)) open = [];
        else for (const report of open) report.push(line);
        began = test !== undefined;
      }
      return reports;
    },
  };
}
