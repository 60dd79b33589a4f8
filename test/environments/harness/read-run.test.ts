import fc from 'fast-check';
import type { CaseOutcome } from '../../../src/contract';
import { RunReader } from '../../../src/environments/harness/read-run';

const outcome = (name: string): CaseOutcome => ({
  case: name,
  status: 'returned',
  value: { t: 'int', v: '1' },
  files: {},
  seconds: 0.1,
});
const began = { kind: 'began', python: '3.11.2', file: '/repo/m.py' };
const ran = (name: string) => ({ kind: 'case', outcome: outcome(name) });
const end = { kind: 'end' };
const WHOLE = [began, ran('case_a'), ran('case_b'), end];

function read(lines: readonly unknown[], cut: string | null = null) {
  const reader = new RunReader(['case_a', 'case_b']);
  for (const line of lines) reader.take(typeof line === 'string' ? line : JSON.stringify(line));
  return reader.finish({ cut, printed: '', seconds: 1 });
}

test('a whole run has an outcome for each case, in the order in which they were asked for', () => {
  const run = read([began, ran('case_b'), ran('case_a'), end]);
  expect(run).toMatchObject({ fault: null, file: '/repo/m.py', unusable: null });
  expect(run.outcomes).toEqual([outcome('case_a'), outcome('case_b')]);
});

test.each([
  ['nothing', [], 'it ended in the middle'],
  ['no end', WHOLE.slice(0, 3), 'it ended in the middle'],
  ['a case without an outcome', [began, ran('case_a'), end], '1 of 2 cases without an outcome'],
  ['two outcomes of a case', [began, ran('case_a'), ...WHOLE.slice(1)], 'two outcomes of case_a'],
  [
    'an outcome that was not asked for',
    [began, ran('case_c'), ...WHOLE.slice(1)],
    'an outcome that was not asked for: case_c',
  ],
  ['no beginning', WHOLE.slice(1), 'no beginning'],
  ['two beginnings', [began, ...WHOLE], 'it began twice'],
  ['a line after the end', [...WHOLE, end], 'a line after the end'],
  ['text', [began, 'hello', ...WHOLE.slice(1)], 'a line that is none of the protocol: hello'],
  ['a key too many', [began, { ...end, more: 1 }, ...WHOLE.slice(1)], expect.stringMatching(/none of the protocol/)],
  ['arrays in arrays', [began, '['.repeat(200_000), ...WHOLE.slice(1)], expect.stringMatching(/none of the protocol/)],
])('%s is no whole run', (_name, lines, fault) => {
  const run = read(lines);
  expect(run.fault).toEqual(fault);
  expect(run.outcomes.map((each) => each.case)).toEqual(['case_a', 'case_b']);
});

test('what could not be imported is told, and its cases are missing', () => {
  const unusable = { kind: 'unusable', stage: 'harness', type: 'ImportError', message: 'no', trace: 't' };
  const run = read([unusable, end]);
  expect(run).toMatchObject({ unusable: { stage: 'harness', type: 'ImportError' }, fault: null });
  expect(run.outcomes.map(({ status }) => status)).toEqual(['missing', 'missing']);
});

test('a run that was cut is not whole, however its lines look', () => {
  expect(read(WHOLE, 'its process ended with 137').fault).toBe('its process ended with 137');
});

test('any line put anywhere into a whole run makes it a faulty one', () => {
  const line = fc.oneof(fc.constantFrom<unknown>(...WHOLE, ran('case_c')), fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(line, fc.integer({ min: 0, max: WHOLE.length }), (added, at) => {
      const lines = [...WHOLE.slice(0, at), added, ...WHOLE.slice(at)];
      expect(read(lines).fault).not.toBeNull();
    }),
  );
});
