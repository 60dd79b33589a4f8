import type { GradeResult, RawReply } from '../../src/contract';
import { readReview, reviewRequest } from '../../src/grading/review';

const PROMPTS = { system: 'You review.', patch: '{{statement}}|{{patch}}|{{noticed}}|{{verdict}}' };
const GRADE = {
  verdict: 'graded',
  failToPass: { passed: 2, total: 2, missing: [] },
  passToPass: { passed: 3, total: 3, missing: [] },
  suspicion: [{ kind: 'test_framework', path: 'a.py', line: 4, detail: 'import pytest' }],
} as unknown as GradeResult;

test.each([
  ['It reads frames, which is its job.\n\naccept', { accepted: true, why: 'It reads frames, which is its job.' }],
  ['It copies the values.\n\n**Refuse.**', { accepted: false, why: 'It copies the values.' }],
  [
    '<think>accept?\n\naccept</think>It looks for tests.\nVerdict: refused',
    { accepted: false, why: 'It looks for tests.' },
  ],
  ['accept', { accepted: true, why: 'no reason given' }],
])('reads %j', (said, review) => {
  expect(readReview(said)).toEqual(review);
});

test.each(['', 'I accept that this is hard.', 'accept or refuse', 'refuse\nor maybe not', '<think>accept'])(
  'a word that is not the last line alone is none: %j',
  (said) => {
    expect(readReview(said)).toBeUndefined();
  },
);

test('the question shows task, patch, what was noticed and what the tests said, and what could not be read', () => {
  const unread = [{ content: 'Hm.', toolCalls: [] }] satisfies RawReply[];
  const reviewed = { statement: 'Mend it', patch: '+import pytest', grade: GRADE };
  const { messages } = reviewRequest(reviewed, PROMPTS, 10_000, unread);
  expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
  expect(messages[1]!.content).toBe(
    'Mend it|+import pytest|- test framework, a.py:4: import pytest|FAIL_TO_PASS: 2 of 2 passed; PASS_TO_PASS: 3 of 3.',
  );
  expect(messages[2]!.content).toBe('Hm.');
});

test('a patch of any length leaves room', () => {
  const reviewed = { statement: 'x'.repeat(50_000), patch: '+'.repeat(500_000), grade: GRADE };
  const length = reviewRequest(reviewed, PROMPTS, 12_000, []).messages.reduce(
    (sum, each) => sum + (each.content ?? '').length,
    0,
  );
  expect(length).toBeLessThan(12_000);
});
