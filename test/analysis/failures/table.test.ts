import { failureTable, switchBuckets } from '../../../src/analysis/failures/table';
import { type FailureVerdict, RolloutRow } from '../../../src/contract';

const row = (
  n: number,
  more: { method?: string; status?: string; resolved?: boolean | null; k?: number; expert?: number } = {},
) =>
  RolloutRow.parse({
    id: `r${n}`,
    instance: `i${n % 3}`,
    problem: null,
    method: more.method ?? 'oec',
    handOver: { uniform: [0, 30] },
    pass: 0,
    student: 's',
    expert: 'e',
    outcome: 'finished',
    seconds: 1,
    result: {
      id: `r${n}`,
      status: more.status ?? 'submitted',
      resolved: more.resolved === undefined ? false : more.resolved,
      handOver: { sampled: more.k ?? 3, expertFrom: more.expert === 0 ? null : 4 },
      turns: { total: 9, student: 3, expert: more.expert ?? 6, formatRetries: 0 },
      cost: { usd: 0, tokens: 0 },
      head: 'a'.repeat(64),
      patch: null,
      workspace: null,
      grade: null,
      recovered: { sandboxes: 0, redoneSteps: 0 },
    },
  });
const verdict = (n: number, category: FailureVerdict['category'], submitted = true): FailureVerdict => ({
  ...{ id: `r${n}`, instance: '', method: 'oec', submitted, category, description: '', reply: null },
});

test('table 3: rows a method, the submitted and the others apart, what was never graded left out', () => {
  const rows = [
    row(1, { resolved: true }),
    row(2),
    row(3),
    row(4, { status: 'limit_steps' }),
    row(5, { resolved: null }),
    row(6, { method: 'bc', resolved: true }),
  ];
  const verdicts = [
    verdict(2, 'wrong_solution'),
    verdict(3, 'wrong_solution'),
    verdict(4, 'infinite_loop', false),
    verdict(99, 'other'),
  ];
  expect(failureTable(rows, verdicts)).toEqual([
    { method: 'bc', rollouts: 1, resolved: 1, submitted: 0, notSubmitted: 0, whenSubmitted: {}, whenNotSubmitted: {} },
    {
      method: 'oec',
      rollouts: 4,
      resolved: 1,
      submitted: 2,
      notSubmitted: 1,
      whenSubmitted: { wrong_solution: 2 },
      whenNotSubmitted: { infinite_loop: 1 },
    },
  ]);
});

test('buckets hold both of their ends, and rate those that were handed over', () => {
  const rows = [
    row(1, { k: 0, resolved: true }),
    row(2, { k: 6 }),
    row(3, { k: 6, expert: 0 }),
    row(4, { k: 7, resolved: true }),
    row(5, { k: 30, resolved: true, expert: 0 }),
  ];
  const buckets = switchBuckets(rows, [
    [0, 6],
    [7, 15],
    [16, 30],
  ]);
  expect(
    buckets.map(({ drawn, handedOver, submittedBeforeSwitch, resolved }) => [
      drawn,
      handedOver,
      submittedBeforeSwitch,
      resolved,
    ]),
  ).toEqual([
    [3, 2, 1, 1],
    [1, 1, 0, 1],
    [1, 0, 1, 0],
  ]);
  expect(buckets[0]!.resolveRate!.value).toBe(0.5);
  expect(buckets[0]!.resolveRate!.low).toBeCloseTo(0.0945, 3);
  expect(buckets[2]!.resolveRate).toBeNull();
});
