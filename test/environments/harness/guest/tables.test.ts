import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CaseOutcome } from '../../../../src/contract';
import { RunLine, type RunRequest } from '../../../../src/environments/harness/protocol';
import { compareOutcomes } from '../../../../src/problems/equivalence/compare';
import { ask, environment, GUEST, subjectOf, workshop } from './support';

const run = promisify(execFile);
const all = process.env.POINTSMAN_CHAOS === 'full';

/** What installs take long for; both sides of numpy 2 and of pandas' own text type. */
const RELEASES = [['numpy', 'pandas'], ...(all ? [['numpy<2', 'pandas<2.2']] : [])];

const MODULE = `
import numpy
import pandas


def totals(frame, by="shop"):
    """Sums by a column, and the shares of it as an array."""
    sums = frame.groupby(by)["price"].sum()
    return sums, numpy.asarray(sums / sums.sum())
`;
const HARNESS = `
import numpy, pandas

def frame():
    return pandas.DataFrame({"shop": ["b", "a", "b"], "price": [1.5, 2.5, 0.1], "day": pandas.date_range("2024-01-30", periods=3)})

def case_sums(subject):
    return subject(frame())

def case_by_day(subject):
    return subject(frame(), by="day")

def case_random(subject):
    numbers = numpy.random.rand(50)
    return subject(pandas.DataFrame({"shop": ["a"] * 50, "price": numbers}))
`;

// Both packages are some 200 MB from the index: where time is short, the full set runs this.
(all ? describe : describe.skip)('numpy and pandas', () => {
  it.each(RELEASES)(
    '%s, %s: observed, written as source, compared',
    async (...packages) => {
      const shop = workshop('tables');
      try {
        const made = await environment(shop.folder, ...packages);
        if (!made) return;
        const env = { ...process.env, PYTHONPATH: GUEST, PYTHONDONTWRITEBYTECODE: '1' };
        const tests = join(__dirname, 'python_tables');
        const { stderr } = await run(made.python, ['-m', 'unittest', 'discover', '-s', tests], { env });
        expect(stderr).toMatch(/\nOK\n$/);

        shop.write('repo/sales.py', MODULE);
        const request: RunRequest = {
          subject: subjectOf(join(shop.folder, 'repo'), 'sales', 'totals'),
          harness: HARNESS,
          ...{ cases: ['case_sums', 'case_by_day', 'case_random'], seed: 7, secondsPerCase: 60, keep: 20 },
          ...{ observeCalls: 0, coverage: false, load: 0 },
        };
        const outcomes = async (): Promise<CaseOutcome[]> => {
          const lines = await ask<unknown>('run', request, { python: made.python });
          return lines
            .map((line) => RunLine.parse(line))
            .flatMap((line) => (line.kind === 'case' ? [line.outcome] : []));
        };
        const reference = await outcomes();
        expect(reference.map(({ status }) => status)).toEqual(['returned', 'returned', 'returned']);
        const again = await outcomes();
        for (const [at, outcome] of reference.entries())
          expect(compareOutcomes(outcome, again[at]!)).toMatchObject({ equal: true });
        shop.write('repo/sales.py', MODULE.replace('.sum()\n', '.sum() * 1.001\n'));
        const changed = await outcomes();
        for (const [at, outcome] of reference.entries())
          expect(compareOutcomes(outcome, changed[at]!)).toMatchObject({ equal: false });
      } finally {
        shop.close();
      }
    },
    600_000,
  );
});
