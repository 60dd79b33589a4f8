import type { Problem } from '../../src/contract';
import { tinyProblem } from './tiny-problem';

/** The file that is to be mended, with `lines` in the place of its second. */
export function addPatch(...lines: string[]): string {
  const added = lines.map((line) => `+${line}\n`).join('');
  return `diff --git a/src/calc.py b/src/calc.py\n--- a/src/calc.py\n+++ b/src/calc.py\n@@ -1,2 +1,${lines.length + 1} @@\n def add(a, b):\n-    return a - b\n${added}`;
}

export const GOLD = addPatch('    return a + b');

const TESTS = `import sys
import unittest

sys.path.insert(0, 'src')
from calc import add


class AddTest(unittest.TestCase):
    def test_small(self):
        self.assertEqual(add(2, 3), 5)

    def test_same(self):
        self.assertEqual(add(1, 1), 2)

    def test_nothing(self):
        self.assertEqual(add(4, 0), 4)
`;

/** The tiny problem with hidden tests of unittest, two that have to be mended and one that passes. */
export async function addingProblem(): Promise<Problem> {
  return {
    ...(await tinyProblem()),
    goldPatch: GOLD,
    tests: {
      command: 'python3 -m unittest discover -s tests',
      parser: { kind: 'auto' },
      failToPass: ['test_same (test_calc.AddTest)', 'test_small (test_calc.AddTest)'],
      passToPass: ['test_nothing (test_calc.AddTest)'],
      files: [{ path: 'tests/test_calc.py', content: TESTS }],
      timeoutSeconds: 60,
    },
  };
}
