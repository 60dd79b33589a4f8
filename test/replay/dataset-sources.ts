import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Sources of a data set that need no chain in a store: rollouts that never began, and rows from elsewhere. */
export function datasetSources() {
  const folder = mkdtempSync(join(tmpdir(), 'pointsman-replay-'));
  const [rollouts, extra] = [join(folder, 'rollouts.jsonl'), join(folder, 'extra.jsonl')];
  const row = (n: number) => ({
    id: `replay/oec/${n}`,
    instance: `instance-${n % 7}`,
    problem: null,
    method: 'oec',
    handOver: { uniform: [0, 30] },
    pass: 0,
    student: 'student',
    expert: 'expert',
    outcome: 'skipped',
    skipped: 'instance_cap',
    result: null,
    seconds: null,
  });
  const sum = (n: number) => ({
    messages: [
      { role: 'user', content: `${n} + 1?` },
      { role: 'assistant', content: `${n + 1}` },
    ],
    metadata: { instance_id: `sum-${n % 5}` },
  });
  const lines = (count: number, of: (n: number) => object) =>
    Array.from({ length: count }, (_, n) => `${JSON.stringify(of(n))}\n`).join('');
  writeFileSync(rollouts, lines(95, row));
  writeFileSync(extra, lines(20, sum));
  return { sources: [{ rollouts }], extra: [{ name: 'sums', path: extra }] };
}
