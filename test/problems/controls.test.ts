import { createControlActivities } from '../../src/activities/grading/controls';
import type { Problem, Ref } from '../../src/contract';
import type { Deps } from '../../src/deps';
import type { Controls } from '../../src/grading/controls';
import { findVariants, openLanguages } from '../../src/grading/variants';
import { tinyProblem } from '../support/tiny-problem';
import { Bench } from './bench';

const TESTS = `import sys
import unittest

sys.path.insert(0, 'src')
from calc import add


class AddTest(unittest.TestCase):
    def test_one(self):
        self.assertEqual(add(2, 3), 5)

    def test_two(self):
        self.assertEqual(add(1, 1), 2)

    def test_three(self):
        self.assertEqual(add(4, 4), 8)
`;
const IDS = ['one', 'two', 'three'].map((name) => `test_${name} (test_calc.AddTest)`);

describe('wrong expectations tried together', () => {
  const bench = new Bench();

  it('one that is no code keeps none of the others from being believed', async () => {
    const problem: Problem = {
      ...(await tinyProblem()),
      goldPatch:
        'diff --git a/src/calc.py b/src/calc.py\n--- a/src/calc.py\n+++ b/src/calc.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n',
      tests: {
        command: 'python3 -m unittest discover -s tests',
        parser: { kind: 'auto' },
        ...{ failToPass: IDS, passToPass: [], timeoutSeconds: 60 },
        files: [{ path: 'tests/test_calc.py', content: TESTS }],
      },
    };
    const files = [{ path: 'tests/test_calc.py', text: TESTS }];
    const found = findVariants(await openLanguages(), files, IDS).variants.filter(({ kind }) => kind === 'value');
    const variants = found.map((each) => (each.tests.includes(IDS[1]!) ? { ...each, texts: ['(', ')'] } : each));
    const draft: Controls = { files, variants, without: [], alone: [], narrowed: false, seconds: 1 };
    const { sandboxes, blobs, problems, owner } = bench;
    const activities = createControlActivities({ sandboxes, blobs, problems } as unknown as Deps);
    const kept: Ref = await bench.run(activities.tryControls, {
      owner,
      problem: await problems.keep(problem),
      draft: await blobs.put(JSON.stringify(draft)),
      ...{ round: 0, with: 'gold', constants: 0 },
    });
    const outcomes = (await bench.json<[string, string | null, unknown][]>(kept)).map(([test, outcome]) => [
      test,
      outcome,
    ]);
    expect(Object.fromEntries(outcomes)).toEqual({ [IDS[0]!]: 'failed', [IDS[1]!]: null, [IDS[2]!]: 'failed' });
  });
});
