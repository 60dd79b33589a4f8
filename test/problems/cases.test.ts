import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BASE_IMAGE } from '../../src/machine/image';
import { Bench } from './bench';

/** Real bug fixes with the lists that they gave when they were recorded; see the README beside them. */
const FOLDER = join(__dirname, '../../../shared/cases');
/** Not the one that the command line is tried with in test/e2e. */
const SHORT = ['T11'];

interface Case {
  id: string;
  source: { name: string; version: string; sha256: string };
  problem_statement: string;
  setup: string[];
  test_cmd: string;
  gold_patch: string;
  test_patch: string;
  fail_to_pass: string[];
  pass_to_pass: string;
}

const cases: Case[] = existsSync(FOLDER)
  ? readFileSync(join(FOLDER, 'cases.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"kind": "T"'))
      .map((line) => JSON.parse(line) as Case)
  : [];
const full = process.env.POINTSMAN_CHAOS === 'full';
const chosen = cases.filter(({ id }) =>
  process.env.CASES ? process.env.CASES.split(',').includes(id) : full || SHORT.includes(id),
);
const text = (path: string) => readFileSync(join(FOLDER, path), 'utf8');

(chosen.length > 0 ? describe : describe.skip)('recorded cases', () => {
  const bench = new Bench();

  it.each(chosen.map((each) => [each.id, each] as const))(
    '%s gives the recorded lists',
    async (id, each) => {
      const { check, ref } = await bench.init({
        id,
        before: `pypi:${each.source.name}==${each.source.version}`,
        tests: text(each.test_patch),
        gold: text(each.gold_patch),
        statement: each.problem_statement,
        setup: each.setup,
        test: each.test_cmd,
        parser: { kind: 'pytest' },
        timeoutSeconds: 900,
        base: BASE_IMAGE,
        workdir: '/testbed',
        runs: 2,
      });
      expect(check.reasons).toEqual([]);
      expect([...check.failToPass].sort()).toEqual([...each.fail_to_pass].sort());
      expect([...check.passToPass].sort()).toEqual((JSON.parse(text(each.pass_to_pass)) as string[]).sort());
      expect(check).toMatchObject({ oracle: 1, noop: 0, flaky: [], admitted: true });
      const problem = await bench.problems.kept(ref);
      expect(problem.environment?.sha256).toBe(each.source.sha256);
    },
    900_000,
  );
});
