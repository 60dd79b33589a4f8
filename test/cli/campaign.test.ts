import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { campaignInput } from '../../src/cli/campaign/start';

const profiles = { student: 's', expert: 'e' };

test('flags make the methods that the profiles are for, and stand over the file', () => {
  const of = (flags: object) => campaignInput({ problems: 'p.jsonl' }, flags).methods;
  expect(of(profiles)).toEqual([{ name: 'oec', ...profiles, handOver: { uniform: [0, 30] } }]);
  expect(of({ expert: 'e' })).toEqual([{ name: 'bc', expert: 'e', handOver: { at: 0 } }]);
  expect(of({ student: 's' })).toEqual([{ name: 'on-policy', student: 's', handOver: { never: true } }]);
  expect(of({ ...profiles, methods: ['bc', 'oec'], handOver: { uniform: [2, 4] } })).toEqual([
    { name: 'bc', expert: 'e', handOver: { at: 0 } },
    { name: 'oec', ...profiles, handOver: { uniform: [2, 4] } },
  ]);
  const written = {
    ...{ problems: 'p.jsonl', methods: [{ name: 'mine', student: 's', handOver: { never: true } }] },
    ...{ passes: 2, budget: { totalUsd: 5 }, limits: { steps: 9, tokens: 8 } },
  };
  const flags = { passes: 3, rate: 60, daily: 2, steps: 40, tenant: 'lab', resolvedPerInstance: 4 };
  expect(campaignInput(written, flags)).toEqual({
    ...{ ...written, passes: 3, resolvedPerInstance: 4, startsPerMinute: 60, tenant: { key: 'lab' } },
    ...{ budget: { totalUsd: 5, dailyUsd: 2 }, limits: { steps: 40, tokens: 8 } },
  });
});

test('a path that is here is handed on in full; what is not may be on the worker', () => {
  const file = join(tmpdir(), `pointsman-test-${process.pid}.jsonl`);
  writeFileSync(file, '');
  const relative = join('..', ...Array.from({ length: 12 }, () => '..'), file);
  expect(campaignInput({}, { problems: relative, ...profiles }).problems).toBe(file);
  expect(campaignInput({}, { problems: '/elsewhere/p.jsonl', ...profiles }).problems).toBe('/elsewhere/p.jsonl');
});

test.each([
  [{ methods: ['oec'], student: 's' }, /--methods oec: --expert is needed/],
  [{}, /campaign: .*problems/],
  [{ problems: 'p', ...profiles, passes: 0 }, /passes: .*\(found 0\)/],
  [{ problems: 'p', ...profiles, priority: 9 }, /priority: .*\(found 9\)/],
])('%j is refused', (flags, message) => {
  expect(() => campaignInput({}, flags as object)).toThrow(message);
});
