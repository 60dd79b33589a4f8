import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { assembleHarness, type CallSource, chooseCalls } from '../../../src/problems/equivalence/assemble';
import { wrapPython } from '../../../src/problems/equivalence/wrap-python';

const OPTIONS = { author: 'builtin:recorded-calls', context: 'sliced', limit: 50 } as const;

function call(over: Partial<CallSource> & { digest: string }): CallSource {
  return { setup: [], body: ['return subject(1)'], shape: 'int', test: 'tests/test_a.py::test_one', ...over };
}

/** What Python makes of a harness when its subject gives its arguments back. */
function ran(source: string, cases: readonly string[]): unknown {
  const program = `${source}\nimport json\nprint(json.dumps([globals()[n](lambda *a, **k: [repr(a), repr(k)]) for n in ${JSON.stringify(cases)}]))`;
  return JSON.parse(execFileSync('python3', ['-c', program], { encoding: 'utf8' }));
}

test('each distinct call is one case, with the imports of all of them once', () => {
  const harness = assembleHarness(
    [
      call({
        digest: 'a',
        setup: ['import os', 'from datetime import date'],
        body: ['return subject(date(2020, 1, 2), os.sep)'],
      }),
      call({ digest: 'a', body: ['return subject(0)'] }),
      call({
        digest: 'b',
        setup: ['from datetime import timedelta', 'import os.path'],
        body: ['x = [1, 2]', 'return subject(x, key=timedelta(1))'],
      }),
    ],
    OPTIONS,
  );
  expect(harness.cases).toEqual(['case_001', 'case_002']);
  expect(harness.source).toBe(`import os
import os.path
from datetime import date, timedelta


def case_001(subject):
    # tests/test_a.py::test_one
    return subject(date(2020, 1, 2), os.sep)


def case_002(subject):
    # tests/test_a.py::test_one
    x = [1, 2]
    return subject(x, key=timedelta(1))
`);
  expect(ran(harness.source, harness.cases)).toHaveLength(2);
});

test('a name that means two things stays where it is meant', () => {
  const { source, cases } = assembleHarness(
    [
      call({ digest: 'a', setup: ['from math import floor as f'], body: ['return subject(f(1.5))'] }),
      call({ digest: 'b', setup: ['from math import ceil as f'], body: ['return subject(f(1.5))'] }),
    ],
    OPTIONS,
  );
  expect(ran(source, cases)).toEqual([
    ['(1,)', '{}'],
    ['(2,)', '{}'],
  ]);
});

test('variety comes first where there is no room for all', () => {
  const calls = ['int', 'int', 'int', 'str', 'list', 'str'].map((shape, at) => call({ digest: String(at), shape }));
  expect(chooseCalls(calls, 4).map(({ shape }) => shape)).toEqual(['int', 'str', 'list', 'int']);
});

test('no calls, no cases', () => {
  expect(assembleHarness([], OPTIONS)).toMatchObject({ source: '', cases: [] });
});

const literal = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.integer().map(String),
    fc.constantFrom('None', "'a, (b'", '"]}"', "b'\\\\'", "'it\\'s'", '()', '[]', '{}', "'#'"),
    fc.array(tie('value'), { maxLength: 5 }).map((items) => `[${items.join(', ')}]`),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `(${items.join(', ')}${items.length === 1 ? ',' : ''})`),
    fc
      .array(tie('value'), { maxLength: 4 })
      .map((items) => `{${items.map((item, at) => `${at}: ${item}`).join(', ')}}`),
    fc
      .array(tie('value'), { maxLength: 4 })
      .map((items) => `dict(${items.map((item, at) => `k${at}=${item}`).join(', ')})`),
    tie('value').map((value) => `list(x for x in [${value}])`),
    tie('value').map((value) => `[${value}, 2][1:]`),
  ),
})).value;

test('breaking lines changes nothing of what they mean, and what can be broken fits', () => {
  fc.assert(
    fc.property(
      fc.array(literal, { minLength: 40, maxLength: 80 }),
      fc.integer({ min: 10, max: 60 }),
      (values, width) => {
        const wrapped = values.map((value) => ['(', ...wrapPython(value, 4, width), ')'].join('\n'));
        const program = `import sys, json, ast\nfor plain, broken in json.load(sys.stdin):\n    assert ast.dump(ast.parse(plain)) == ast.dump(ast.parse(broken)), (plain, broken)`;
        const pairs = values.map((value, at) => [`(${value}\n)`, wrapped[at]]);
        execFileSync('python3', ['-c', program], { input: JSON.stringify(pairs) });
      },
    ),
    { numRuns: 15 },
  );
  expect(wrapPython('return call(subject, [1, 2], key={"a": 1})', 4, 30)).toEqual([
    '    return call(',
    '        subject,',
    '        [1, 2],',
    '        key={"a": 1},',
    '    )',
  ]);
});

test('the same calls give the same harness', () => {
  const calls = fc.array(
    fc
      .record({ digest: fc.constantFrom('a', 'b', 'c', 'd'), shape: fc.constantFrom('int', 'str') })
      .map((over) => call(over)),
  );
  fc.assert(
    fc.property(calls, fc.integer({ min: 1, max: 5 }), (given, limit) => {
      const harness = assembleHarness(given, { ...OPTIONS, limit });
      expect(assembleHarness([...given, ...given], { ...OPTIONS, limit })).toEqual(harness);
      expect(harness.cases).toHaveLength(Math.min(limit, new Set(given.map(({ digest }) => digest)).size));
    }),
  );
});
