import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { eachStatement, type FunctionStatement, openPython, type Python } from '@pointsman/python';
import fc from 'fast-check';
import { definitionsOf } from '../../../src/problems/candidate';
import { type Mutant, mutantsOf } from '../../../src/problems/mutation';

/** Modules of Python's own library: real code of many hands, there wherever Python is. */
const MODULES = ['textwrap', 'shlex', 'heapq', 'bisect', 'statistics', 'difflib', 'calendar', 'fractions'];
let python: Python;
const texts = new Map<string, string>();

beforeAll(async () => {
  python = await openPython();
  const code = 'import importlib, sys\nfor name in sys.argv[1:]: print(importlib.import_module(name).__file__)';
  const paths = execFileSync('python3', ['-c', code, ...MODULES], { encoding: 'utf8' })
    .trim()
    .split('\n');
  MODULES.forEach((name, at) => {
    texts.set(name, readFileSync(paths[at]!, 'utf8'));
  });
});

/** Functions and methods of a module, by dotted name and line. */
function targetsIn(text: string) {
  const module = python.parse('m.py', text);
  const names = new Set<string>();
  for (const statement of module.body) {
    if (statement.kind === 'function') names.add(statement.name);
    if (statement.kind === 'class')
      for (const inner of statement.body) if (inner.kind === 'function') names.add(`${statement.name}.${inner.name}`);
  }
  const targets = [...names].flatMap((name) =>
    definitionsOf(module.body, name.split('.')).map(({ statement }) => ({ name, statement })),
  );
  return { module, targets };
}

const mutate = (text: string, name: string, line: number, choice = { max: 1000, seed: 0 }) =>
  mutantsOf(python, python.parse('m.py', text), { name, lines: [line, line] }, choice);

function changed(before: string, after: string): { start: number; end: number } {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  let tail = 0;
  while (tail < Math.min(before.length, after.length) - start && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return { start, end: before.length - tail };
}

/** Spans of a function that no mistake may be in: decorators, annotations, and every docstring. */
function untouchable(root: FunctionStatement): { start: number; end: number }[] {
  const spans: { start: number; end: number }[] = [];
  eachStatement([root], (each) => {
    if (each.kind !== 'function') return undefined;
    const annotations = each.parameters.flatMap(({ annotation }) => annotation ?? []);
    spans.push(...each.decorators, ...annotations, ...(each.returns ? [each.returns] : []));
    if (each.docstring !== undefined) spans.push(each.body[0]!);
    return undefined;
  });
  return spans;
}

test('every mutant is Python, and differs in one place of the function that holds behaviour', () => {
  let all = 0;
  fc.assert(
    fc.property(fc.constantFrom(...MODULES), fc.nat(), fc.nat(), (name, at, seed) => {
      const text = texts.get(name)!;
      const { targets } = targetsIn(text);
      const { name: target, statement } = targets[at % targets.length]!;
      const mutants = mutate(text, target, statement.line, { max: 12, seed });
      for (const { source, line } of mutants) {
        const { start, end } = changed(text, source);
        expect(source).not.toBe(text);
        expect(source.startsWith(text.slice(0, statement.start)) && source.endsWith(text.slice(statement.end))).toBe(
          true,
        );
        expect(untouchable(statement).filter((span) => start < span.end && end > span.start)).toEqual([]);
        expect(line).toBeGreaterThanOrEqual(statement.line);
      }
      expect(new Set(mutants.map(({ source }) => source)).size).toBe(mutants.length);
      expect(notPython(mutants)).toEqual([]);
      all += mutants.length;
    }),
    { numRuns: 40, seed: 7 },
  );
  expect(all).toBeGreaterThan(150);
});

function notPython(mutants: readonly Mutant[]): string[] {
  const code =
    'import json, sys, warnings\nwarnings.simplefilter("ignore")\nfor n, s in json.load(sys.stdin):\n  try: compile(s, n, "exec")\n  except SyntaxError as e: print(n, e)';
  const input = JSON.stringify(mutants.map(({ before, after, source }) => [`${before} => ${after}`, source]));
  return execFileSync('python3', ['-c', code], { input, encoding: 'utf8' }).split('\n').filter(Boolean);
}

const FILE = `from typing import TYPE_CHECKING, cast


@decorated(1)
def f(a: "int" = 3, *, key=None) -> "list[1]":
    """At least 1 < 2 and True."""
    if TYPE_CHECKING:
        import x
        y = 5
    logger.debug('at %s', a + 1)
    assert a > 0, 'positive'
    if a < 0 and not key:
        raise ValueError('below %d' % 0)
    total = cast('int', a) or 0
    for i in range(a):
        if i == 2:
            continue
        total += i
    return total
`;
const operators = (mutants: readonly Mutant[]) => mutants.map(({ line, operator, after }) => [line, operator, after]);

test('what is no behaviour is left alone, and each kind of mistake is made', () => {
  expect(operators(mutate(FILE, 'f', 4)).sort()).toEqual(
    [
      [5, 'number', 'def f(a: "int" = 4, *, key=None) -> "list[1]":'],
      [5, 'number', 'def f(a: "int" = 2, *, key=None) -> "list[1]":'],
      [12, 'comparison', 'if a <= 0 and not key:'],
      [12, 'comparison', 'if a >= 0 and not key:'],
      [12, 'condition', 'if not (a < 0 and not key):'],
      [12, 'logic', 'if a < 0 or not key:'],
      [12, 'negation', 'if a < 0 and (key):'],
      [12, 'number', 'if a < (-1) and not key:'],
      [12, 'number', 'if a < 1 and not key:'],
      [13, 'deletion', 'pass'],
      [14, 'assignment', 'total = None'],
      [14, 'logic', "total = cast('int', a) and 0"],
      [14, 'number', "total = cast('int', a) or (-1)"],
      [14, 'number', "total = cast('int', a) or 1"],
      [15, 'no iteration', 'for i in ():'],
      [16, 'comparison', 'if i != 2:'],
      [16, 'number', 'if i == 1:'],
      [16, 'number', 'if i == 3:'],
      [17, 'loop exit', 'break'],
      [18, 'arithmetic', 'total -= i'],
      [18, 'assignment', 'total = i'],
      [18, 'one iteration', 'total += i\n        break'],
      [19, 'return', 'return None'],
    ].sort(),
  );
});

test('few mutants are spread over the lines, the same for the same seed, and keep their ids', () => {
  const all = mutate(FILE, 'f', 4);
  const some = mutate(FILE, 'f', 4, { max: 8, seed: 3 });
  expect(new Set(some.map(({ line }) => line)).size).toBe(8);
  expect(mutate(FILE, 'f', 4, { max: 8, seed: 3 })).toEqual(some);
  expect(mutate(FILE, 'f', 4, { max: 8, seed: 4 })).not.toEqual(some);
  expect(all).toEqual(expect.arrayContaining(some));
  expect(some.map(({ line }) => line)).toEqual(some.map(({ line }) => line).sort((a, b) => a - b));
});

test('a comment between operands and parentheses around them are kept', () => {
  const text = 'def f(a, b):\n    return ((a)  # a + b < c\n        < (b))\n';
  expect(operators(mutate(text, 'f', 1))).toContainEqual([3, 'comparison', '>= (b))']);
  expect(mutate(text, 'f', 1).map(({ source }) => source)).toContain(text.replace('        <', '        <='));
});

test('arguments are swapped and dropped, bounds moved, twins exchanged, handlers emptied', () => {
  const text =
    'def f(s, n):\n    try:\n        return g(s[1:n].lower(), n, key=s, other=1)\n    except KeyError as e:\n        return -n\n';
  const found = new Set(mutate(text, 'f', 1).map(({ source }) => source.split('\n').slice(2, 5).join('\n')));
  const line = '        return g(s[1:n].lower(), n, key=s, other=1)\n    except KeyError as e:\n        return -n';
  for (const [from, to] of [
    ['s[1:n].lower(), n', 'n, s[1:n].lower()'],
    [', key=s', ''],
    [', other=1', ''],
    [':n]', ':(n) + 1]'],
    ['lower', 'upper'],
    ['return -n', 'raise'],
    ['return -n', 'return (n)'],
    ['return -n', 'return None'],
  ] as const)
    expect(found).toContain(line.replace(from, to));
});

test('a function that the file does not define has none', () => {
  expect(mutate(FILE, 'g', 1)).toEqual([]);
});
