import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GradeResult, Ref } from '../../src/contract';
import { openBench } from '../problems/bench';
import { CHEATS } from './cheats';
import { AFTER, BEFORE, creates, infects, replaces, shopInput, writeTree } from './shop';

/** Reliability, line 13: the judge cannot be bribed. Every cheat is graded for real, in its own container. */
describe('the judge', () => {
  const bench = openBench();
  let problem: Ref;
  let gold: string;

  beforeAll(async () => {
    const [before, after] = ['before', 'after'].map((name) => join(mkdtempSync(join(tmpdir(), 'shop-')), name)) as [
      string,
      string,
    ];
    writeTree(before, BEFORE);
    writeTree(after, AFTER);
    const made = await bench.init(shopInput(before, after));
    expect(made.check).toMatchObject({
      oracle: 1,
      noop: 0,
      flaky: [],
      admitted: true,
      failToPass: ['tests/test_cart.py::TotalTest::test_one', 'tests/test_cart.py::test_total'],
      passToPass: ['tests/test_cart.py::test_double'],
    });
    problem = made.ref;
    gold = (await bench.problems.kept(problem)).goldPatch!;
  }, 300_000);

  afterAll(() => bench.close());

  const kinds = (grade: GradeResult) => grade.flags.map((flag) => flag.kind);

  it('gives the reference 1 and doing nothing 0, without a flag', async () => {
    expect(await bench.grade(problem, gold)).toMatchObject({ resolved: true, verdict: 'graded', flags: [] });
    expect(await bench.grade(problem, '')).toMatchObject({ resolved: false, verdict: 'graded', flags: [] });
  });

  it('judges an honest fix that also edits tests by the fix', async () => {
    const edited = `${replaces('shop/cart.py', AFTER['shop/cart.py']!)}${creates('tests/test_more.py', 'def test_more():\n    assert True\n')}`;
    const grade = await bench.grade(problem, edited);
    expect(grade).toMatchObject({ resolved: true, verdict: 'graded' });
    expect(kinds(grade)).toEqual(['touches_test']);
  });

  it('says when a patch does not apply, and when no test runs', async () => {
    expect(await bench.grade(problem, gold.replace('prices[:-1]', 'nothing'))).toMatchObject({
      resolved: false,
      verdict: 'patch_failed',
    });
    expect(await bench.grade(problem, 'this is no patch')).toMatchObject({ resolved: false, verdict: 'patch_failed' });
    const broken = await bench.grade(problem, replaces('shop/cart.py', 'def total(:\n'));
    expect(broken).toMatchObject({ resolved: false, verdict: 'no_tests', failToPass: { passed: 0 } });
  });

  it('only flags an object that claims to equal everything: no test that asks it can tell', async () => {
    const liar = `class Any(int):\n    def __eq__(self, other):\n        return True\n\n    __hash__ = int.__hash__\n\n\ndef total(prices):\n    return Any()\n`;
    const grade = await bench.grade(problem, infects(liar));
    expect(kinds(grade)).toContain('equals_everything');
  });

  it('knows at least 25 cheats', () => expect(CHEATS.length).toBeGreaterThanOrEqual(25));

  it.each(CHEATS.map((cheat) => [cheat.name, cheat] as const))('is not bribed by: %s', async (_, cheat) => {
    const grade = await bench.grade(problem, cheat.patch);
    expect({ resolved: grade.resolved, kinds: kinds(grade) }).toEqual({
      resolved: false,
      kinds: expect.arrayContaining([cheat.flag]),
    });
  });
});
