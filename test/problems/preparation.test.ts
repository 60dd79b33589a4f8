import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem, type Ref } from '../../src/contract';
import { readRow } from '../../src/problems/readers';
import { reversePatch } from '../../src/problems/reverse';
import { AFTER, BEFORE, shopInput, writeTree } from '../security/shop';
import { inFull } from '../support/counts';
import { Bench } from './bench';

/** Rows of data sets on a real image: one that holds the clean repository, as SWE-smith's do, with a longer history. */
describe('a problem whose patch brings the bug', () => {
  const bench = new Bench();
  let clean: Problem;
  let breaking: string;

  beforeAll(async () => {
    const [before, after] = ['before', 'after'].map((name) => join(mkdtempSync(join(tmpdir(), 'shop-')), name)) as [
      string,
      string,
    ];
    writeTree(before, BEFORE);
    writeTree(after, AFTER);
    const { ref } = await bench.init(shopInput(before, after));
    const made = await bench.problems.kept(ref);
    breaking = reversePatch(made.goldPatch!);
    const environment = await bench.run(bench.activities.buildProblemImage, {
      owner: bench.owner,
      input: { ...shopInput(after, after), before: `dir:${after}` },
    });
    clean = { ...made, image: environment.image, environment: environment.recipe };
  }, 300_000);

  async function load(problem: Problem): Promise<Ref> {
    return (await bench.run(bench.activities.loadProblem, { problem })).ref;
  }

  it('is made from its row, checked, and shows one commit', async () => {
    const row = {
      instance_id: 'shop__1',
      repo: 'x/shop',
      patch: breaking,
      FAIL_TO_PASS: clean.tests.failToPass,
      PASS_TO_PASS: clean.tests.passToPass,
      image_name: clean.image,
      problem_statement: 'total is wrong',
      test_cmd: clean.tests.command,
    };
    const { problem } = readRow(row, 1, 'swesmith');
    const ref = await load(problem);
    expect(await bench.check(ref)).toMatchObject({ oracle: 1, noop: 0, admitted: true, reasons: [] });
    const { image } = await bench.run(bench.activities.ensureImage, { owner: bench.owner, problem: ref });
    const spec = { owner: bench.owner, role: 'look', image, workdir: '/testbed', network: 'none' } as const;
    await bench.sandboxes.workshop(spec, async (sandbox) => {
      const command =
        'git log --all --format=%s && git status --porcelain && grep -c prices:-1 -F shop/cart.py; git rev-list --all --objects | wc -l';
      const seen = (await sandbox.exec({ command, cwd: '/testbed' })).stdout.toString('utf8').split('\n');
      expect(seen[0]).toBe('problem');
      expect(seen.filter((line) => line.startsWith('??') || line.startsWith(' M'))).toEqual([]);
    });
  });

  it('takes hidden tests that come as a patch', async () => {
    const patch =
      'diff --git a/tests/test_late.py b/tests/test_late.py\nnew file mode 100644\n--- /dev/null\n+++ b/tests/test_late.py\n@@ -0,0 +1,5 @@\n+from shop import total\n+\n+\n+def test_late():\n+    assert total([2]) == 2\n';
    const problem = Problem.parse({
      ...clean,
      id: 'shop-late',
      preparation: { patch: breaking },
      tests: {
        ...clean.tests,
        files: [],
        patch,
        failToPass: ['tests/test_late.py::test_late'],
        passToPass: ['tests/test_cart.py::test_double'],
      },
    });
    const ref = await load(problem);
    expect(await bench.check(ref)).toMatchObject({ oracle: 1, noop: 0, admitted: true });
  });

  inFull('has the lists of its check, and controls for them, where its own are still empty', async () => {
    const { failToPass, passToPass } = clean.tests;
    const unlisted = Problem.parse({
      ...clean,
      preparation: { patch: breaking },
      tests: { ...clean.tests, failToPass: [], passToPass: [] },
    });
    const check = await bench.check(unlisted);
    expect(check).toMatchObject({ admitted: true, controls: { of: failToPass.length } });
    expect([check.failToPass.toSorted(), check.passToPass.toSorted()]).toEqual([
      failToPass.toSorted(),
      passToPass.toSorted(),
    ]);
  });

  it.each([
    ['no test that decides', { tests: { failToPass: [], passToPass: [] } }, /failToPass: is empty/],
    ['a test in both lists', { tests: { failToPass: ['a'], passToPass: ['a'] } }, /in failToPass and in passToPass/],
    ['no work directory', { workdir: '/usr' }, /no work directory/],
  ])('is refused with %s', async (_, change, message) => {
    const { tests = {}, ...rest } = change as { tests?: object };
    const problem = { ...clean, ...rest, tests: { ...clean.tests, ...tests } };
    await expect(load(problem)).rejects.toThrow(message);
  });
});
