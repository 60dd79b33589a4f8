import { z } from 'zod';
import { asProblem, invalidRow, parseRow, type RowReader, Text, unwrapJson } from './row';

/**
 * Names of tests; what their values say is how they ended in each of three runs. Tables have a column for each test of any
 * row, without a value where it is none of this one.
 */
const Tests = z
  .preprocess((value) => unwrapJson(value) ?? {}, z.record(z.string(), z.unknown()))
  .transform((tests) => Object.keys(tests).filter((name) => tests[name] !== null && tests[name] !== undefined));

const Row = z.object({
  org: z.string().min(1),
  repo: z.string().min(1),
  number: z.coerce.number().int(),
  title: Text,
  body: Text,
  base: z.preprocess(unwrapJson, z.object({ sha: Text })).optional(),
  resolved_issues: z
    .preprocess(unwrapJson, z.array(z.object({ title: z.string().nullish(), body: z.string().nullish() })))
    .optional(),
  fix_patch: z.string().min(1),
  test_patch: z.string().min(1),
  fixed_tests: Tests,
  f2p_tests: Tests,
  s2p_tests: Tests,
  n2p_tests: Tests,
  p2p_tests: Tests,
  instance_id: Text,
});

/**
 * A row of Multi-SWE-bench (and Multi-SWE-RL). Its image holds the runner as a script beside the repository. Read are rows
 * whose names of tests are those of go or cargo: what the runners of its other languages print is not read test by test.
 */
export const multiSweBench: RowReader = {
  is: (fields) => 'fix_patch' in fields && 'test_patch' in fields && 'org' in fields,
  read(value, line, { registry = 'mswebench/' }) {
    const row = parseRow(Row, value, line);
    const listed = [...row.f2p_tests, ...row.s2p_tests, ...row.n2p_tests];
    const failToPass = [...new Set(listed.length > 0 ? listed : row.fixed_tests)];
    if (failToPass.length === 0) throw invalidRow(line, 'f2p_tests, fixed_tests: name no test');
    const passToPass = row.p2p_tests.filter((name) => !failToPass.includes(name));
    const strange = [...failToPass, ...passToPass].find((name) => !GO.test(name) && !CARGO.test(name));
    if (strange !== undefined) {
      throw invalidRow(
        line,
        `f2p_tests, p2p_tests: ${JSON.stringify(strange.slice(0, 80))} is no name of a test of go or cargo, and what its runner prints cannot be read`,
      );
    }
    const issues = (row.resolved_issues ?? []).map(({ title, body }) => [title, body].filter(Boolean).join('\n\n'));
    const statement = issues.filter(Boolean).join('\n\n') || [row.title, row.body].filter(Boolean).join('\n\n');
    const problem = asProblem(
      {
        id: row.instance_id ?? `${row.org}__${row.repo}-${row.number}`,
        image: `${registry}${row.org}_m_${row.repo}:pr-${row.number}`.toLowerCase(),
        workdir: `/home/${row.repo}`,
        statement,
        tests: { command: 'bash /home/run.sh', failToPass, passToPass, patch: row.test_patch },
        goldPatch: row.fix_patch,
        preparation: {},
        provenance: { format: 'multiswebench', repo: `${row.org}/${row.repo}`, baseCommit: row.base?.sha },
      },
      line,
    );
    return { problem, notes: [] };
  },
};

const GO = /^(?:[\w./-]+(?:::|[./ ]))?(?:Test|Example|Fuzz|Benchmark)(?:[A-Z_]\w*)?(?:\/.*)?$/;
const CARGO = /^[\w/.-]+(?:::\w+)+$/;
