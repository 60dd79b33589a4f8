import type { FailureEvidence } from '../../../src/analysis/failures/evidence';
import { judgeRequest } from '../../../src/analysis/failures/judge-prompt';
import { judgeByRules } from '../../../src/analysis/failures/rules';
import type { SeenStep } from '../../../src/contract';

const step = (turn: number, command: string, observation = 'ok'): SeenStep => ({
  turn: {
    kind: 'turn',
    turn,
    author: 'student',
    profile: 'student',
    model: 'm',
    dialect: 'xml',
    reply: { content: '', toolCalls: [] },
    thought: `thought ${turn}`,
    action: { tool: 'bash', args: { command } },
    rejected: [],
    usage: { promptTokens: 1, cachedTokens: 0, completionTokens: 1, costUsd: 0 },
  },
  observation,
  exitCode: 0,
  timedOutAfter: null,
  elidedBytes: 0,
});
const steps = (n: number, command: (turn: number) => string, observation?: (turn: number) => string) =>
  Array.from({ length: n }, (_, at) => step(at + 1, command(at + 1), observation?.(at + 1)));
const evidence = (more: Partial<FailureEvidence> = {}): FailureEvidence => ({
  instance: 'calc-1',
  statement: 'The sum is off by one.',
  status: 'limit_steps',
  steps: steps(30, (turn) => `python work.py ${turn}`),
  patch: '--- a/src/calc.py\n+++ b/src/calc.py\n@@ -1 +1 @@\n-a - b\n+a + b\n',
  verdict: 'graded',
  failing: ['tests/test_calc.py::test_sum'],
  testLog: '',
  unparsable: [],
  ...more,
});
const category = (more: Partial<FailureEvidence>) => judgeByRules(evidence(more), 20).category;

test.each<[string, Partial<FailureEvidence>, string]>([
  [
    'one action over and over',
    { steps: [...steps(10, (k) => `echo ${k}`), ...steps(20, () => 'make')] },
    'infinite_loop',
  ],
  ['reading to the end', { steps: steps(25, (k) => `sed -n ${k},${k + 50}p src/calc.py`) }, 'endless_file_reading'],
  [
    'a loop that it got over',
    {
      steps: [...steps(5, () => 'make'), ...steps(40, (k) => `echo ${k}`)].map((each, at) => ({
        ...each,
        turn: { ...each.turn, turn: at + 1 },
      })),
    },
    'other',
  ],
  ['a loop before it submitted', { status: 'submitted', steps: steps(20, () => 'make') }, 'other'],
  [
    'listings that fill the context',
    {
      status: 'limit_context',
      steps: steps(
        12,
        (k) => (k % 3 === 0 ? 'find / -name "*.py"' : `echo ${k}`),
        (k) => (k % 3 === 0 ? 'x'.repeat(50_000) : 'ok'),
      ),
    },
    'context_overflow_from_listing',
  ],
  [
    'a context that something else filled',
    {
      status: 'limit_context',
      steps: steps(
        12,
        (k) => (k % 3 === 0 ? 'ls' : `python noisy.py ${k}`),
        (k) => (k % 3 === 0 ? 'a b' : 'x'.repeat(50_000)),
      ),
    },
    'other',
  ],
  ['no valid call', { status: 'format_exhausted' }, 'tool_error'],
  ['a file that does not parse', { status: 'submitted', unparsable: ['/testbed/src/calc.py, line 3'] }, 'syntax_error'],
  [
    'tests that stop at a changed file',
    {
      status: 'submitted',
      testLog:
        'ImportError while importing test module\nE     File "/testbed/src/calc.py", line 3\nE       def add(a, b\nE               ^\nE   SyntaxError: \'(\' was never closed\n',
    },
    'syntax_error',
  ],
  [
    'tests that are about syntax errors',
    {
      status: 'submitted',
      testLog:
        'tests/test_parser.py::test_rejects FAILED\nE   SyntaxError: invalid syntax (from the parser under test)\n',
    },
    'other',
  ],
  ['a wrong patch', { status: 'submitted' }, 'other'],
])('rules: %s', (_, more, expected) => {
  expect(category(more)).toBe(expected);
});

test('a rule says what it saw, and where it saw nothing that no rule decides', () => {
  expect(judgeByRules(evidence({ steps: steps(20, () => 'make') }), 20).description).toMatch(
    /turns 1–20.*20 times.*make/i,
  );
  expect(judgeByRules(evidence({ status: 'submitted' }), 20).description).toMatch(/No rule decides/);
});

test('a model is shown the last turns in full, and no more than it can read', () => {
  const prompts = {
    system: 'S',
    run: '{{instance}}|{{turns}}|{{ending}}|{{statement}}|{{shown}}|{{history}}|{{outcome}}',
  };
  const said = (more: Partial<FailureEvidence>, characters: number) =>
    judgeRequest(evidence(more), prompts, { lastTurns: 20, characters }).messages[1]!.content!;
  const all = said({}, 1_000_000);
  expect(all).toMatch(
    /^calc-1\|30\|It did not submit: it used up its turns\.\|The sum is off by one\.\|20\|### Turn 11\n/,
  );
  expect(all).not.toContain('### Turn 10\n');
  expect(all).toContain('### Turn 30\n');
  expect(all).toContain('tests/test_calc.py::test_sum');
  const long = {
    steps: steps(
      40,
      (k) => `echo ${k} ${'y'.repeat(9_000)}`,
      () => 'z'.repeat(90_000),
    ),
    statement: 'w'.repeat(90_000),
    patch: 'p'.repeat(90_000),
  };
  for (const characters of [3_000, 30_000, 300_000])
    expect(said(long, characters).length).toBeLessThan(characters * 1.4 + 3_000);
  // What the run says is text, not a template.
  expect(said({ statement: '{{history}}' }, 10_000)).toContain('|{{history}}|');
});
