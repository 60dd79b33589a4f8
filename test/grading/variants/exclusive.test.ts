import { execFileSync, spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { findVariants, openLanguages, withVariants } from '../../../src/grading/variants';
import { modules } from './modules';

/**
 * Runs each test of each module as it is and with each variant, against several solutions: the answers as they are
 * written, and equal ones of other types. Says how many pairs passed as they are, and which of these did not fail.
 */
const RUN = `
import json, sys, warnings
warnings.simplefilter('ignore')
class Text(str): pass
def other(x):
    if isinstance(x, bool): return int(x)
    if isinstance(x, int) and abs(x) < 2 ** 50: return float(x)
    if isinstance(x, str): return Text(x)
    if type(x) is list: return [other(y) for y in x]
    if type(x) is tuple: return tuple(other(y) for y in x)
    if type(x) is dict: return {k: other(v) for k, v in x.items()}
    return x
def outcome(source, test, solve):
    names = {}
    exec(compile(source, 'test_it.py', 'exec'), names)
    names['ANSWERS'][:] = [solve(x) for x in names['ANSWERS']]
    try:
        names[test]()
    except BaseException as error:
        return type(error).__name__
    return 'passed'
checked, wrong = 0, []
for module in json.load(sys.stdin):
    for case in module['cases']:
        for solve in (lambda x: x, other):
            if outcome(module['text'], case['test'], solve) != 'passed': continue
            checked += 1
            now = outcome(case['text'], case['test'], solve)
            if now == 'passed' or (case['kind'] not in ('value-type', 'raises') and now != 'AssertionError'):
                wrong.append([case['kind'], case['was'], case['now'], now])
print(json.dumps({'checked': checked, 'wrong': wrong}))
`;

const hasPython = spawnSync('python3', ['--version']).status === 0;

(hasPython ? test : test.skip)('what passes as it is written fails with every variant', async () => {
  const languages = await openLanguages();
  const drawn = fc
    .sample(modules(), { numRuns: 150, seed: fc.readConfigureGlobal()?.seed ?? 1 })
    .map(({ text, tests }) => {
      const file = { path: 'tests/test_it.py', text };
      const cases = findVariants(languages, [file], tests).variants.flatMap((variant) =>
        variant.texts.map((now) => ({
          test: variant.tests[0]!.split('::')[1]!,
          text: withVariants([file], [{ variant, text: now }]).files[0]!.text,
          kind: variant.kind,
          was: variant.was,
          now,
        })),
      );
      return { text, cases };
    });
  const output = execFileSync('python3', ['-c', RUN], { input: JSON.stringify(drawn), maxBuffer: 1 << 28 });
  const { checked, wrong } = JSON.parse(output.toString());
  expect(wrong).toEqual([]);
  expect(checked).toBeGreaterThan(1_000);
});

/** Runs a test with each of its wrong expectations, for each value that the solution gives. Says for which one of them passes. */
const ABSORBED = `
import json, math, sys
from decimal import Decimal
from fractions import Fraction
from unittest import TestCase
given = json.load(sys.stdin)
def passes(source, value):
    names = {'f': lambda *_: value, 'self': TestCase()}
    exec(source, names)
    try:
        names['test_x']()
    except Exception:
        return False
    return True
values = [eval(each) for each in given['values']]
print(json.dumps([repr(value) for value in values if any(passes(each, value) for each in given['sources'])]))
`;

(hasPython ? test : test.skip).each([
  'assert f(1) == f(2)',
  'self.assertEqual(f(1), f(2))',
  'self.assertAlmostEqual(f(1), f(2))',
])('no number is the one that is expected instead, however large: %s', async (written) => {
  const languages = await openLanguages();
  const file = { path: 'test_it.py', text: `def test_x():\n    ${written}\n` };
  const [variant] = findVariants(languages, [file], ['test_it.py::test_x']).variants.filter(
    ({ kind, texts }) => kind === 'value-type' && texts[0]!.includes('+ 2'),
  );
  const sources = variant!.texts.map((now) => withVariants([file], [{ variant: variant!, text: now }]).files[0]!.text);
  const values = fc
    .sample(fc.oneof(fc.double({ noNaN: true }), fc.integer(), fc.bigInt()), 300)
    .map((each) => (each === Infinity ? 'math.inf' : each === -Infinity ? '-math.inf' : String(each)));
  const known = ['math.inf', '-math.inf', '1e300', "Decimal('Infinity')", "Decimal('1E+40')", 'Fraction(1, 3)', 'True'];
  const input = JSON.stringify({ sources, values: [...known, '0', '-1', '-2', '-6', ...values] });
  expect(JSON.parse(execFileSync('python3', ['-c', ABSORBED], { input }).toString())).toEqual([]);
});
