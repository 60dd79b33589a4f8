import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPython, type Python } from '@pointsman/python';
import type { ObservedCall } from '../../../src/contract';
import { type DescribedFunction, describeFunction } from '../../../src/problems/specification/described';
import { readRefinement, refineValues, SPECIFICATION_PROMPTS } from '../../../src/problems/specification/refine';
import { fillTemplate } from '../../../src/rollout/prompts';

const SOURCE = `def take(n, seq, *, fill=None):
    """The first n elements of a sequence

    >>> take(1, 'ab')
    ['a']
    """
    out = list(itertools.islice(seq, n))
    if fill:
        out += [fill] * (n - len(out))
    return out
`;
const BODY = SOURCE.split('\n').slice(6, -1);
const CALLS: ObservedCall[] = [
  {
    arguments: [
      { name: 'n', type: 'int', repr: '2' },
      { name: 'seq', type: 'list[int]', repr: '[1, 2, 3]' },
      { name: 'fill', type: 'NoneType', repr: 'None' },
    ],
    returned: { type: 'list[int]', repr: '[1, 2]' },
    raised: null,
  },
];

let python: Python;
let described: DescribedFunction;
beforeAll(async () => {
  python = await openPython();
  const [statement] = python.parse('m.py', SOURCE).body;
  if (statement?.kind !== 'function') throw new Error('no function');
  described = describeFunction(statement, SOURCE, { name: 'take', kind: 'function' });
});
const read = (reply: string) => readRefinement(python, reply, { described, calls: CALLS, body: BODY });
const withDocstring = (docstring: string) =>
  read(`\`\`\`python\ndef take(n, seq, *, fill=None):\n    """${docstring}"""\n\`\`\``);
const GOOD = 'Gives the first n elements of a sequence as a list.\n\n    Args:\n        n (int): How many.';

test.each([
  ['in a definition without a body', `\`\`\`python\ndef take(n, seq, *, fill=None):\n    """${GOOD}\n    """\n\`\`\``],
  [
    'in a class',
    `\`\`\`\nclass C:\n    def take(self):\n        """${GOOD.replaceAll('\n    ', '\n        ')}\n        """\n        ...\n\`\`\``,
  ],
  ['as a string', `Here you are:\n\`\`\`python\n"""${GOOD}\n    """\n\`\`\``],
  ['as nothing but text', GOOD.replaceAll('\n    ', '\n')],
])('a docstring is read %s', (_, reply) => {
  const { specification, note } = read(reply);
  expect(note).toBeNull();
  expect(specification).toMatchObject({
    by: 'model',
    refined: 'Gives the first n elements of a sequence as a list.\n\nArgs:\n    n (int): How many.',
    argumentTypes: { seq: ['list[int]'] },
    original: described.docstring,
  });
});

test.each([
  ['code without a docstring', '```python\ndef take(n, seq):\n    return 1\n```', /no docstring/],
  ['nothing', '', /no docstring/],
])('%s is refused, and types take its place', (_, reply, why) => {
  const { specification, note } = read(reply);
  expect(note).toMatch(why);
  expect(specification.by).toBe('types');
  expect(specification.refined).toContain('>>> take(2, [1, 2, 3])\n    [1, 2]');
});

test.each([
  [
    'a long line of the body in prose',
    'The first n elements: `list(itertools.islice(seq, n))`, out = list(itertools.islice(seq, n)) that is.',
  ],
  ['a short line of the body by itself', 'The first n elements.\n\n    return out\n'],
  [
    'a line of the body as an example',
    'The first n elements.\n\n    >>> if fill:\n    ...     out += [fill] * (n - len(out))',
  ],
])('%s gives the implementation away', (_, docstring) => {
  expect(withDocstring(docstring).note).toMatch(/repeats the implementation/);
});

test.each([
  ['the observed call', '>>> take(2, [1, 2, 3])\n    [1, 2]'],
  ['the observed call, passed by name and spaced otherwise', '>>> take(n=2, seq=[1,2,3], fill=None)\n    [1,2]'],
  ["the repository's own example", ">>> take(1, 'ab')\n    ['a']"],
  ['an import before it', '>>> from m import take\n    >>> take(2, [1, 2, 3])\n    [1, 2]'],
  ['prose', 'For example, `take(2, [1, 2, 3])` returns `[1, 2]`.'],
])('%s may stand as an example', (_, example) => {
  expect(withDocstring(`The first elements.\n\n    ${example}\n`).note).toBeNull();
});

test.each([
  ['another result', '>>> take(2, [1, 2, 3])\n    [1]'],
  ['another argument', '>>> take(1, [1, 2, 3])\n    [1, 2]'],
  ['an argument more', ">>> take(2, [1, 2, 3], fill='x')\n    [1, 2]"],
  ['a call of something else', '>>> drop(2, [1, 2, 3])\n    [3]'],
  ['prose', 'For example, take(9, []) returns [].'],
])('%s that nobody saw is refused', (_, example) => {
  expect(withDocstring(`The first elements.\n\n    ${example}\n`).note).toMatch(/none of the observed calls/);
});

test('a docstring about something else is refused', () => {
  expect(withDocstring('Opens a socket.').note).toMatch(/nothing of what the original says/);
});

test('the prompt files have the variables that they are given', () => {
  const values = refineValues({
    described,
    calls: CALLS,
    context: 'CONTEXT',
    signature: 'def take(…):',
    cases: 'CASES',
  });
  const filled = SPECIFICATION_PROMPTS.map((name) =>
    fillTemplate(readFileSync(join(__dirname, '../../../prompts/specification', `${name}.md`), 'utf8'), values),
  );
  expect(filled[1]).toContain('- n: int');
  expect(filled[1]).toContain('>>> take(2, [1, 2, 3])\n[1, 2]');
});
