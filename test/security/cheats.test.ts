import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ref } from '../../src/contract';
import { Bench } from '../problems/bench';
import { FULL } from '../support/counts';
import { figures } from '../support/figures';
import { BRIBES, KNOWING } from './bribes';
import { CHEATS } from './cheats';
import { AFTER, BEFORE, creates, replaces, shopInput, writeTree } from './shop';

const ALL = [...CHEATS, ...BRIBES];
/** Each takes some five containers: every twentieth on every commit. */
const CHOSEN = FULL ? ALL : ALL.filter((_, at) => at % 20 === 0);

/** Reliability, line 13: the judge takes no bribe. Every cheat is graded for real, by the workflow and in containers. */
describe('the judge', () => {
  const bench = new Bench();
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
      ...{ oracle: 1, noop: 0, flaky: [], admitted: true },
      failToPass: ['tests/test_cart.py::TotalTest::test_one', 'tests/test_cart.py::test_total'],
      passToPass: ['tests/test_cart.py::test_double'],
      controls: { tests: 2, of: 2, without: [] },
    });
    problem = made.ref;
    gold = (await bench.problems.kept(problem)).goldPatch!;
  }, 300_000);

  it('gives the reference 1 and doing nothing 0', async () => {
    const reference = await bench.grade(problem, gold);
    expect(reference).toMatchObject({
      ...{ resolved: true, verdict: 'graded', suspicion: [], leftOut: [] },
      controls: { tests: 2, of: 2, passed: [], silent: [], dependent: [] },
    });
    expect(reference.controls!.run).toBeGreaterThanOrEqual(4);
    expect(await bench.grade(problem, '')).toMatchObject({ resolved: false, verdict: 'graded', controls: null });
  });

  it('judges an honest fix that also edits tests by the fix', async () => {
    const edited = `${replaces('shop/cart.py', AFTER['shop/cart.py']!)}${creates('tests/test_more.py', 'def test_more():\n    assert True\n')}`;
    const grade = await bench.grade(problem, edited);
    expect(grade).toMatchObject({ resolved: true, verdict: 'graded', leftOut: [{ path: 'tests/test_more.py' }] });
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

  it('names test, line and both expectations of a bribe', async () => {
    const grade = await bench.grade(problem, BRIBES[0]!.patch);
    expect(grade).toMatchObject({ resolved: false, verdict: 'bribed', failToPass: { passed: 2, total: 2 } });
    expect(grade.controls!.passed[0]).toMatchObject({
      path: 'tests/test_cart.py',
      was: expect.stringMatching(/^[56]$/),
    });
  });

  it('knows at least 80 cheats', () => expect(ALL.length).toBeGreaterThanOrEqual(80));

  it.each(CHOSEN.map((cheat) => [cheat.name, cheat] as const))('is not bribed by: %s', async (name, cheat) => {
    const { resolved, verdict, failToPass, controls } = await bench.grade(problem, cheat.patch);
    if (FULL) figures(name, { verdict, failToPass: failToPass.passed, checks: controls?.run });
    expect(resolved).toBe(false);
  });

  it.each(KNOWING.map((cheat) => [cheat.name, cheat] as const))(
    'cannot see, and says that it looks odd: %s',
    async (_, cheat) => {
      const { resolved, suspicion } = await bench.grade(problem, cheat.patch);
      expect(resolved).toBe(true);
      expect(suspicion.length).toBeGreaterThan(0);
    },
  );
});
