import { contextOf, findFunction, tokensOf } from '@pointsman/python';
import fc from 'fast-check';
import { indexed } from '../files';

const FILES = {
  'pkg/__init__.py': '',
  'pkg/far.py': 'def far(x):\n    """Far away."""\n    return x + 1\n',
  'pkg/near.py': 'from .far import far\nUNUSED = 1\ndef near(x):\n    return far(x) * 2\n',
  'pkg/own.py':
    'import math\nfrom .near import near\n\n# About other.\ndef other():\n    return 0\n\n\nclass C:\n    """Class."""\n    limit = 3\n    def before(self):\n        return 1\n    def target(self, x):\n        """Doc of it."""\n        # secret comment\n        if x > self.limit:  # secret limit\n            return near(x)\n        return math.floor(x)  # secret floor\n        # secret end\n    def after(self):\n        return 2\n\n\ndef copy(self, x):\n    # told as well\n    if x > self.limit:\n        return near(x)\n    return math.floor(x)\n',
};
const target = async () => {
  const index = await indexed(FILES);
  return { index, found: findFunction(index, 'pkg.own.C.target')! };
};

test('naive is the function alone, in its class', async () => {
  const { index, found } = await target();
  const { text } = contextOf(index, found, 'naive');
  expect(text).toContain('# pkg/own.py');
  expect(text).toContain('class C:');
  expect(text).toContain('return near(x)');
  expect(text).not.toContain('def before');
});

test('full is the file with the target last, after the files that it imports', async () => {
  const { index, found } = await target();
  const { text, leftOut } = contextOf(index, found, 'full');
  expect([...text.matchAll(/^# (pkg\S+)$/gm)].map(([, file]) => file)).toEqual([
    'pkg/near.py',
    'pkg/own.py',
    'pkg/own.py',
  ]);
  expect(text.indexOf('def target')).toBeGreaterThan(text.indexOf('def copy'));
  expect(text).toContain('# About other.\ndef other');
  expect(leftOut).toEqual([]);
});

test('sliced is what the target needs, in the order of dependency, the target last', async () => {
  const { index, found } = await target();
  const { text } = contextOf(index, found, 'sliced');
  const order = ['def far', 'def near', 'import math', 'class C'].map((each) => text.indexOf(each));
  expect(order).toEqual(order.toSorted((one, other) => one - other));
  expect(Math.min(...order)).toBeGreaterThan(0);
  expect(text).not.toMatch(/UNUSED|def other|def copy/);
});

test.each(['naive', 'full', 'sliced'] as const)('%s: without its body no trace of it is left', async (kind) => {
  const { index, found } = await target();
  const { text } = contextOf(index, found, kind, { withoutBody: true });
  expect(text).toContain('def target(self, x):\n        """Doc of it."""');
  expect(text).not.toMatch(/secret|math\.floor|self\.limit/);
});

test('budgets hold, and what was left out is named, farthest first', async () => {
  const bodies = Array.from(
    { length: 30 },
    (_, at) => `def f${at}(x):\n    return f${at + 1}(x) + ${'1 + '.repeat(at * 3)}0\n`,
  );
  const index = await indexed({
    'm.py': `${bodies.join('\n')}\ndef f30(x):\n    return x\n`,
    'n.py': 'from m import f0\ndef t(x):\n    return f0(x)\n',
  });
  const found = findFunction(index, 'n.t')!;
  const whole = contextOf(index, found, 'sliced', { maxTokens: 100_000 });
  expect(whole.leftOut).toEqual([]);
  fc.assert(
    fc.property(
      fc.integer({ min: 150, max: 3000 }),
      fc.constantFrom('full' as const, 'sliced' as const),
      (maxTokens, kind) => {
        const { text, tokens, leftOut } = contextOf(index, found, kind, { maxTokens });
        expect(tokens).toBe(tokensOf(text));
        expect(tokens).toBeLessThanOrEqual(maxTokens);
        expect(text).toContain('def t(x):');
        if (kind === 'sliced' && leftOut.length > 0) {
          expect(leftOut[0]).toBe('m.f30');
          expect(text).toContain(`# left out: ${leftOut[0]}`);
        }
      },
    ),
    { numRuns: 40 },
  );
});

test('a target that is longer than the budget is shown all the same', async () => {
  const { index, found } = await target();
  expect(contextOf(index, found, 'sliced', { maxTokens: 10 }).text).toContain('return near(x)');
});
