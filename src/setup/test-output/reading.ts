import type { TestCounts } from '../../contract';

/** What a test run says of itself. */
export interface TestReading {
  readonly framework: string;
  readonly counts: TestCounts;
  /** Names of tests (or files, or packages) that failed, as the framework prints them; each once. */
  readonly failures: readonly string[];
}

/** Lines of an output, colours and overwritten progress gone. */
export type Lines = readonly string[];

/** One framework's closing words. Null where the output holds none of them. */
export interface TestReader {
  readonly framework: string;
  /** A command that names it; decides between frameworks that appear in the same output. */
  readonly command: RegExp;
  read(lines: Lines): Omit<TestReading, 'framework'> | null;
}

export function linesOf(output: string): string[] {
  return (
    output
      // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are what is taken out.
      .replace(/\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007]*\u0007|[()][A-Z0-9])/g, '')
      .split('\n')
      .map((line) => line.replace(/\r+$/, ''))
      .map((line) => line.slice(line.lastIndexOf('\r') + 1))
  );
}

type Outcomes = { passed?: number; failed?: number; skipped?: number; errors?: number };

/** What ran is what has an outcome: tests that a filter left out do not count as collected. */
export function countsOf({ passed = 0, failed = 0, skipped = 0, errors = 0 }: Outcomes): TestCounts {
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

/** Groups of each line that a pattern fits. */
export function matches(lines: Lines, pattern: RegExp): RegExpExecArray[] {
  return lines.map((line) => pattern.exec(line)).filter((hit) => hit !== null);
}

/** First groups of the lines that a pattern fits, each once. */
export function names(lines: Lines, pattern: RegExp): string[] {
  return [...new Set(matches(lines, pattern).map((hit) => hit[1]!.trim()))];
}

/** `3 passed, 1 failed` by word; what stands before the first number is left out. */
export function tallyOf(text: string, separator: RegExp = /,\s*/): Record<string, number> {
  const tally: Record<string, number> = {};
  for (const part of text.split(separator)) {
    const hit = /(\d+) ([a-z]+(?: [a-z]+)?)/.exec(part);
    if (hit) tally[hit[2]!] = (tally[hit[2]!] ?? 0) + Number(hit[1]);
  }
  return tally;
}
