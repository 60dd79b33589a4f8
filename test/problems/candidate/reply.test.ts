import { openPython, type Python } from '@pointsman/python';
import { readCandidate, referenceOf, signatureOf, stubOf } from '../../../src/problems/candidate';

let python: Python;
beforeAll(async () => {
  python = await openPython();
});
const target = { name: 'f', kind: 'function', lines: [1, 2] } as const;
const CODE = 'def f(a):\n    return a\n';
const read = (reply: string, name = 'f') => readCandidate(python, reply, { ...target, name });

test.each([
  ['a fence', `Here:\n\n\`\`\`python\n${CODE}\`\`\`\nDone.`],
  ['a fence of another language', `\`\`\`text\n${CODE}\`\`\``],
  ['tildes', `~~~py3\n${CODE}~~~`],
  ['a fence that is never closed', `Sure.\n\`\`\`python\n${CODE}`],
  [
    'several fences',
    `\`\`\`python\ndef f(a):\n    return 0\n\`\`\`\nBetter:\n\`\`\`\n${CODE}\`\`\`\nUse:\n\`\`\`sh\npython f.py\n\`\`\``,
  ],
  ['a fence in a list', `1. First:\n   \`\`\`python\n${CODE.replace(/^(?=.)/gm, '   ')}   \`\`\``],
  ['no fence', CODE],
  ['no fence, all of it indented', CODE.replace(/^(?=.)/gm, '    ')],
  ['prose around', `I think this works.\n\n${CODE}\nIt returns a.`],
  ['thoughts before', `<think>\n\`\`\`python\ndef f(a):\n    return 1\n\`\`\`\n</think>\n${CODE}`],
  ['thoughts that never end', `<think>Maybe so:\n\`\`\`python\n${CODE}\`\`\``],
  ['Windows line ends', `\`\`\`python\r\n${CODE.replaceAll('\n', '\r\n')}\`\`\`\r\n`],
])('code is found in %s', (_name, reply) => {
  expect(read(reply)).toEqual({ source: CODE });
});

test('imports and helpers above a definition in prose come along', () => {
  expect(
    read(`So:\nimport re\n\n@g\ndef f(a):\n    return (\n        a\n)\n\ndef g(x):\n    return x\n\nThat is all.`),
  ).toEqual({
    source: 'import re\n\n@g\ndef f(a):\n    return (\n        a\n)\n\ndef g(x):\n    return x\n',
  });
});

test('a method is found in its class', () => {
  const source = 'class C:\n    def m(self):\n        return 1\n';
  expect(read(`\`\`\`python\n${source}\`\`\``, 'C.m')).toEqual({ source });
  expect(read(`\`\`\`python\n${source}\`\`\``, 'Other.m')).toEqual({ source });
});

test.each([
  ['', 'the reply is empty'],
  ['<think>hm</think>', 'the reply is empty'],
  ['I cannot do that.', 'the reply holds no definition of f'],
  ['```python\ndef g(a):\n    return a\n```', 'the reply holds no definition of f'],
  ['The text `def f(a)` is all I have.', 'the reply holds no definition of f'],
])('%j is unreadable', (reply, unreadable) => {
  expect(read(reply)).toEqual({ unreadable });
});

test('signature, stub and reference of a method, at the margin', () => {
  const file = `class C:
  @staticmethod
  def m(
      a,  # the: first
      b=(lambda: 1),
  ) -> "dict[str: int]":
    """Says.

    More.
    """
    x = '''
  keep'''
    return a
  def n(self): return 1
`;
  const module = python.parse('m.py', file);
  const head =
    '@staticmethod\ndef m(\n    a,  # the: first\n    b=(lambda: 1),\n) -> "dict[str: int]":\n  """Says.\n\n  More.\n  """\n';
  const m = { name: 'C.m', lines: [2, 11] as [number, number] };
  expect(signatureOf(module, m)).toBe(head);
  expect(stubOf(module, m)).toBe(`${head}  raise NotImplementedError\n`);
  expect(referenceOf(module, m)).toBe(`${head}  x = '''\n  keep'''\n  return a\n`);
  const n = { name: 'C.n', lines: [13, 13] as [number, number] };
  expect(stubOf(module, n)).toBe('def n(self):\n    raise NotImplementedError\n');
  expect(signatureOf(module, { ...n, name: 'C.none' })).toBeUndefined();
});
