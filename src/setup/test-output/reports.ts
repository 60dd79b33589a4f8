import type { Lines } from './reading';

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
