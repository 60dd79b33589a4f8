import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPython, type Python } from '@pointsman/python';
import { authorValues, HARNESS_PROMPTS, systemPrompt } from '../../../src/problems/equivalence/author-prompt';
import { readHarness } from '../../../src/problems/equivalence/read-harness';
import { codeBlocks } from '../../../src/problems/equivalence/reply';
import { fillTemplate } from '../../../src/rollout/prompts';

let python: Python;
beforeAll(async () => {
  python = await openPython();
});

const OPTIONS = { author: 'expert', context: 'sliced', mode: 'equivalence', limit: 20 } as const;
const read = (reply: string, limit = 20) => readHarness(python, reply, { ...OPTIONS, limit });
const GOOD =
  'import math\n\n\ndef build():\n    return [1]\n\n\ndef case_one(subject):\n    return subject(build())\n\n\ndef case_two(f):\n    return [f(x) for x in (math.pi,)]';

test('cases are read out of a fence, with talk around it', () => {
  const { harness, troubles } = read(`Branches: two.\n\n\`\`\`python\n${GOOD}\n\`\`\`\nDone.`);
  expect(harness).toEqual({
    author: 'expert',
    context: 'sliced',
    mode: 'equivalence',
    source: `${GOOD}\n`,
    cases: ['case_one', 'case_two'],
  });
  expect(troubles).toEqual([]);
});

test.each([
  ['without a fence', GOOD],
  ['in a fence that was cut off', `Here:\n\`\`\`py\n${GOOD}`],
  [
    'after reasoning that shows other code',
    `<think>\`\`\`python\ndef case_no(s): s()\n\`\`\`</think>\n\`\`\`\n${GOOD}\n\`\`\``,
  ],
  ['in the larger of two blocks', `\`\`\`python\nimport pkg\n\`\`\`\nthen\n\`\`\`python\n${GOOD}\n\`\`\``],
  ['in an indented fence', `1. Cases:\n   \`\`\`python\n${GOOD.replace(/^/gm, '   ')}\n   \`\`\``],
])('%s', (_, reply) => {
  expect(read(reply).harness?.cases).toEqual(['case_one', 'case_two']);
});

test.each([
  ['prose', 'I cannot do that.', /no block of code/],
  [
    'functions of other names',
    '```python\ndef test_one(subject):\n    return subject(1)\n```',
    /none of its functions \(test_one\)/,
  ],
  ['classes', '```python\nclass T:\n    def case_a(self, subject):\n        return subject()\n```', /plain functions/],
  [
    'a syntax error',
    '```python\ndef case_a(subject):\n    return subject(1\n\ndef case_b(subject):\n    return subject(2)\n```',
    /syntax error in line \d/,
  ],
  ['a name twice', '```python\ndef case_a(s):\n    return s(1)\ndef case_a(s):\n    return s(2)\n```', /defined twice/],
])('%s is no harness, and the reason is told', (_, reply, why) => {
  const { harness, troubles } = read(reply);
  expect(harness).toBeNull();
  expect(troubles).toMatchObject([{ failure: 'malformed', message: expect.stringMatching(why) }]);
});

test('a case that never uses its subject is no case, whatever its comments say', () => {
  const { harness, troubles } = read(
    "```python\ndef case_a(subject):\n    # subject(1)\n    return 'subject(2)'\n\ndef case_b(subject):\n    return f'{subject(1)}'\n```",
  );
  expect(harness?.cases).toEqual(['case_b']);
  expect(troubles).toMatchObject([{ case: 'case_a', failure: 'malformed' }]);
});

test('no more cases than asked for', () => {
  expect(read(`\`\`\`python\n${GOOD}\n\`\`\``, 1).harness?.cases).toEqual(['case_one']);
});

test('a longer fence holds shorter ones', () => {
  expect(codeBlocks('````md\n```python\nx\n```\n````')).toEqual(['```python\nx\n```']);
});

test('every prompt file is there and has the variables that it is given', () => {
  const file = (name: string) => readFileSync(join(__dirname, '../../../prompts/harness', `${name}.md`), 'utf8');
  const target = { module: 'pkg.mod', name: 'C.m', kind: 'method', file: 'pkg/mod.py', lines: [1, 2] } as const;
  const contexts = { naive: 'N', full: 'F', sliced: 'S {{name}}' };
  const values = {
    ...authorValues({ target: { ...target, lines: [1, 2] }, contexts, context: 'sliced', most: 8 }),
    cases_api: 'API',
    feedback: 'FEEDBACK',
  };
  const filled = Object.fromEntries(HARNESS_PROMPTS.map((name) => [name, fillTemplate(file(name), values)]));
  expect(filled.task).toContain('S {{name}}');
  expect(filled.task).toContain('about 8 cases');
  expect(filled.task).toContain('the class `C`');
  expect(filled.system).toContain('API');
  expect(filled[systemPrompt('prediction')]).toContain('assert');
  expect(filled.repair).toContain('FEEDBACK');
});
