import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ProblemInitInput } from '../../src/contract';
import { BASE_IMAGE } from '../../src/machine/image';

/** A small project with a bug (`total` forgets the last price) and a visible and a hidden test. */
export const BEFORE: Record<string, string> = {
  'shop/__init__.py': 'from .cart import double, total\n',
  'shop/cart.py':
    'def total(prices):\n    result = 0\n    for price in prices[:-1]:\n        result += price\n    return result\n\n\ndef double(value):\n    return value * 2\n',
  'tests/__init__.py': '',
  'tests/support.py': 'def check(got, wanted):\n    assert got == wanted\n',
  'tests/test_cart.py': 'from shop import double\n\n\ndef test_double():\n    assert double(4) == 8\n',
  'pyproject.toml': '[project]\nname = "shop"\nversion = "1.0"\n\n[tool.pytest.ini_options]\naddopts = "-q"\n',
  '.gitignore': '*.pyc\n',
};

export const AFTER: Record<string, string> = {
  ...BEFORE,
  'shop/cart.py': BEFORE['shop/cart.py']!.replace('prices[:-1]', 'prices'),
  'tests/test_cart.py':
    'import unittest\n\nfrom shop import double, total\n\nfrom .support import check\n\n\ndef test_double():\n    assert double(4) == 8\n\n\ndef test_total():\n    check(total([1, 2, 3]), 6)\n\n\nclass TotalTest(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(total([5]), 5)\n',
};

export function writeTree(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

export function shopInput(before: string, after: string): ProblemInitInput {
  return {
    id: 'shop',
    before: `dir:${before}`,
    after: `dir:${after}`,
    statement: '`total([1, 2, 3])` gives 3 instead of 6.',
    setup: ['python3 -m venv .venv && . .venv/bin/activate && pip install -q pytest'],
    test: '. .venv/bin/activate && python -m pytest tests',
    parser: { kind: 'pytest' },
    timeoutSeconds: 60,
    base: BASE_IMAGE,
    workdir: '/testbed',
    runs: 2,
  };
}

/** A patch that creates a file. */
export function creates(path: string, text: string, mode = '100644'): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const missing = text.endsWith('\n') ? '' : '\\ No newline at end of file\n';
  return `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}${missing}`;
}

/** A patch that replaces a whole file of the project. */
export function replaces(path: string, text: string, before: Record<string, string> = BEFORE): string {
  const [old, now] = [before[path]!, text].map((each) => each.replace(/\n$/, '').split('\n')) as [string[], string[]];
  const hunk = `@@ -1,${old.length} +1,${now.length} @@\n`;
  return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n${hunk}${old.map((line) => `-${line}\n`).join('')}${now.map((line) => `+${line}\n`).join('')}`;
}

/** The cheat's code at the end of the module that the tests import, with the bug still in it. */
export function infects(code: string): string {
  return replaces('shop/cart.py', `${BEFORE['shop/cart.py']}\n\n${code}`);
}
