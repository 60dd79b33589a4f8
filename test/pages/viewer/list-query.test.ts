import fc from 'fast-check';
import { ALL, type ListQuery, queryHash, queryOf, SORTS, select } from '../../../src/pages/viewer/list-query';
import type { RunLine } from '../../../src/pages/viewer/payload';
import { codePoint } from '../../support/code-points';

const LINE: RunLine = {
  id: 'campaign/1/oec/a/0',
  kind: 'rollout',
  instance: 'a-1',
  method: 'oec',
  pass: 0,
  status: 'submitted',
  resolved: true,
  student: 'small',
  expert: 'large',
  k: 4,
  expertFrom: 5,
  handOverReason: null,
  turns: { total: 10, student: 4, expert: 6, refused: 0 },
  usd: 1,
  tokens: 10,
  seconds: 60,
  startedAt: null,
  loss: null,
  dataset: null,
  note: null,
};
const line = (given: Partial<RunLine>): RunLine => ({ ...LINE, ...given });
const ids = (lines: readonly RunLine[], query: Partial<ListQuery>) =>
  select(lines, { ...ALL, ...query }).map(({ id }) => id);

it('keeps what fits every filter', () => {
  const lines = [
    line({ id: 'good' }),
    line({ id: 'cloned', method: 'bc', k: 0, turns: { total: 5, student: 0, expert: 5, refused: 0 } }),
    line({ id: 'failed', resolved: false, status: 'limit_steps', loss: 'limit_steps', k: 20 }),
    line({ id: 'skipped', resolved: null, status: 'skipped', k: null, turns: null, note: 'instance_cap' }),
  ];
  expect(ids(lines, {})).toEqual(['good', 'cloned', 'failed', 'skipped']);
  expect(ids(lines, { method: 'bc' })).toEqual(['cloned']);
  expect(ids(lines, { resolved: 'no' })).toEqual(['failed']);
  expect(ids(lines, { resolved: 'ungraded' })).toEqual(['skipped']);
  expect(ids(lines, { author: 'expert' })).toEqual(['cloned']);
  expect(ids(lines, { author: 'both' })).toEqual(['good', 'failed']);
  expect(ids(lines, { kMin: '1', kMax: '10' })).toEqual(['good']);
  expect(ids(lines, { kMin: '10' })).toEqual(['failed']);
  expect(ids(lines, { text: 'LIMIT small' })).toEqual(['failed']);
  expect(ids(lines, { text: 'instance_cap' })).toEqual(['skipped']);
  expect(ids(lines, { status: 'submitted', method: 'oec' })).toEqual(['good']);
});

it('sorts numbers as numbers, names with their numbers, and puts what is not known last', () => {
  const lines = [
    line({ id: 'x', instance: 'p-10', usd: null }),
    line({ id: 'y', instance: 'p-9', usd: 0.2 }),
    line({ id: 'z', instance: 'p-2', usd: 10 }),
  ];
  expect(ids(lines, { sort: 'instance' })).toEqual(['z', 'y', 'x']);
  expect(ids(lines, { sort: 'cost' })).toEqual(['y', 'z', 'x']);
  expect(ids(lines, { sort: 'cost', down: true })).toEqual(['z', 'y', 'x']);
  expect(ids(lines, { down: true })).toEqual(['z', 'y', 'x']);
});

it('sorts by ending and by what speaks against training, and tells states apart', () => {
  const lines = [
    line({ id: 'lost', status: 'limit_steps', loss: 'limit_steps' }),
    line({ id: 'runs', status: 'running', resolved: null }),
    line({ id: 'broke', status: 'terminated', resolved: null, loss: 'failed' }),
    line({ id: 'good' }),
    line({ id: 'far', status: 'unknown', method: null }),
  ];
  expect(ids(lines, { sort: 'ending' })).toEqual(['lost', 'runs', 'good', 'broke', 'far']);
  expect(ids(lines, { sort: 'training' })).toEqual(['good', 'broke', 'lost', 'runs', 'far']);
  expect(ids(lines, { state: 'running' })).toEqual(['runs']);
  expect(ids(lines, { state: 'ended' })).toEqual(['lost', 'good']);
  expect(ids(lines, { state: 'failed' })).toEqual(['broke']);
  expect(ids(lines, { state: 'not known' })).toEqual(['far']);
});

it('is an address that says the same again', () => {
  // Half a surrogate pair cannot be in an address.
  const word = fc.string({ unit: codePoint, maxLength: 8 }).filter((text) => !/\p{Surrogate}/u.test(text));
  const query = fc.record({
    text: word,
    method: word,
    instance: word,
    status: word,
    state: word,
    resolved: word,
    author: word,
    kMin: word,
    kMax: word,
    sort: fc.constantFrom(...SORTS),
    down: fc.boolean(),
  });
  fc.assert(
    fc.property(query, (given) => {
      const [, params = ''] = queryHash(given).split('?');
      expect(queryOf(new URLSearchParams(params))).toEqual(given);
    }),
  );
  expect(queryHash(ALL)).toBe('#/');
  expect(queryOf(new URLSearchParams('sort=nothing'))).toEqual(ALL);
});
