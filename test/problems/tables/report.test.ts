import fc from 'fast-check';
import { AttemptRecord, FunctionProblemResult, HarnessFailure } from '../../../src/contract';
import { buildsReport } from '../../../src/problems/tables/builds-report';
import { reportOf } from '../../../src/problems/tables/report';

const quality = (branchCoverage: number, valid: boolean) =>
  valid
    ? {
        ...{ cases: 3, repeats: 5, flaky: [], branchCoverage, lineCoverage: 1, missedLines: [], mutants: [] },
        ...{ mutationScore: 0.5, oracle: 1, stub: 0 },
      }
    : null;

const attempt = fc
  .record({
    author: fc.constantFrom('builtin:recorded-calls', 'expert'),
    context: fc.constantFrom('sliced', 'full'),
    valid: fc.boolean(),
    failure: fc.option(fc.constantFrom(...HarnessFailure.options)),
    coverage: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ author, context, valid, failure, coverage }) =>
    AttemptRecord.parse({
      attempt: { author, context },
      valid,
      failures: valid || failure === null ? [] : [failure],
      repairs: 1,
      quality: quality(coverage, valid),
      troubles: [],
    }),
  );
const results = fc
  .array(
    fc.record({
      admitted: fc.boolean(),
      attempts: fc.array(attempt, { maxLength: 3 }),
      outOfFile: fc.boolean(),
      coverage: fc.integer({ min: 0, max: 79 }),
    }),
    { maxLength: 8 },
  )
  .map((all) =>
    all.map(({ coverage, ...each }, at) =>
      FunctionProblemResult.parse({
        ...each,
        id: `f${at}`,
        target: { module: 'm', name: `f${at}`, kind: 'function', file: 'm.py', lines: [1, 2] },
        reasons: each.admitted ? [] : [`branch coverage is ${coverage} %, at least 80 % is needed`],
        instance: null,
        dependencies: 1,
        cost: { usd: 0, tokens: 0 },
      }),
    ),
  );

/** Cells of the table under a heading. */
function tableOf(report: string, heading: string): string[][] {
  const section = report.split(`## ${heading}\n`)[1]!.split('\n## ')[0]!;
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines
    .filter((_, at) => at !== 1)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** Sums of a column of figures above the last row, and the last row. */
function sumAndLast(table: string[][], column: string): [number, number] {
  const at = table[0]!.indexOf(column);
  const values = table.slice(1).map((row) => Number(row[at]));
  return [values.slice(0, -1).reduce((sum, each) => sum + each, 0), values.at(-1)!];
}

test('every count adds up to the last row of its table, whatever the results', () => {
  fc.assert(
    fc.property(results, fc.integer({ min: 0, max: 5 }), (all, left) => {
      const target = {
        module: 'm',
        name: 'g',
        kind: 'function' as const,
        file: 'm.py',
        lines: [1, 2] as [number, number],
      };
      const considered = [
        ...all.map((each) => ({ target: each.target, rejectedBy: null, why: '' })),
        ...Array.from({ length: left }, () => ({ target, rejectedBy: 'async', why: 'is async' })),
      ];
      const funnel = [
        { rule: 'async', rejected: left, left: all.length },
        { rule: 'taken', rejected: 0, left: all.length },
      ];
      const report = reportOf(all, [], { funnel, considered });
      const check = (heading: string, column: string, expected: number) => {
        const [sum, last] = sumAndLast(tableOf(report, heading), column);
        expect([sum, last]).toEqual([expected, expected]);
      };
      check('Functions', 'count', considered.length);
      check('Filters', 'left out', left);
      const rejected = all.filter(({ admitted }) => !admitted).length;
      if (rejected > 0) check('Not admitted', 'count', rejected);
      const attempts = all.flatMap((each) => each.attempts.map((one) => ({ ...one, outOfFile: each.outOfFile })));
      if (attempts.length === 0) return;
      check('Harnesses', 'in-file', attempts.filter(({ outOfFile }) => !outOfFile).length);
      check('Harnesses', 'out-file', attempts.filter(({ outOfFile }) => outOfFile).length);
      check('Failures', 'all', attempts.length);
      const failures = tableOf(report, 'Failures');
      for (const row of failures.slice(1)) {
        const figures = row.slice(3).map(Number);
        expect(figures.slice(0, -1).reduce((sum, each) => sum + each, 0)).toBe(figures.at(-1));
      }
      // The order in which functions were done does not show.
      expect(reportOf([...all].reverse(), [], { funnel, considered })).toBe(report);
    }),
  );
});

test('validity and coverage by author, like reasons together', () => {
  const one = (author: string, valid: boolean, coverage: number, outOfFile: boolean) =>
    FunctionProblemResult.parse({
      ...{
        id: author + coverage,
        admitted: false,
        instance: null,
        outOfFile,
        dependencies: 2,
        cost: { usd: 0, tokens: 0 },
      },
      target: { module: 'm', name: 'f', kind: 'function', file: 'm.py', lines: [1, 2] },
      reasons: [`mutation score ${coverage}`],
      attempts: [
        {
          attempt: { author },
          valid,
          failures: valid ? [] : ['environment'],
          repairs: 0,
          quality: quality(coverage, valid),
          troubles: [],
        },
      ],
    });
  const report = reportOf(
    [one('a', true, 0.5, false), one('a', true, 1, false), one('a', false, 0, false), one('b', true, 0.25, true)],
    [],
    {
      funnel: [{ rule: 'taken', left: 4, rejected: 0 }],
      considered: [],
    },
  );
  expect(tableOf(report, 'Harnesses').slice(1)).toEqual([
    ['a', 'sliced', 'equivalence', '3', '66.7 %', '75.0 %', '50.0 %', '0', '–', '–', '–', '0.0'],
    ['b', 'sliced', 'equivalence', '0', '–', '–', '–', '1', '100.0 %', '25.0 %', '50.0 %', '0.0'],
    ['all', '', '', '3', '66.7 %', '75.0 %', '50.0 %', '1', '100.0 %', '25.0 %', '50.0 %', '0.0'],
  ]);
  expect(tableOf(report, 'Not admitted').slice(1)).toEqual([
    ['mutation score n', '4', '100.0 %'],
    ['all', '4', '100.0 %'],
  ]);
});

test('several builds: a row for each, and everything that was tried in the last one', () => {
  fc.assert(
    fc.property(fc.array(results, { minLength: 1, maxLength: 3 }), (all) => {
      const builds = all.map((tried, at) => ({ name: `b${at}`, tried }));
      const report = buildsReport(builds);
      const table = tableOf(report, 'Builds');
      expect(table.slice(1).map(([name]) => name)).toEqual([...builds.map(({ name }) => name), 'all']);
      for (const column of ['functions', 'out-file', 'admitted']) {
        const [sum, last] = sumAndLast(table, column);
        expect(sum).toBe(last);
      }
      const attempts = all.flat().flatMap((each) => each.attempts);
      if (attempts.length > 0) expect(sumAndLast(tableOf(report, 'Failures'), 'all')[1]).toBe(attempts.length);
    }),
  );
});
