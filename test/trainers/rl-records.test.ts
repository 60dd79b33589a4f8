import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { DatasetFormat } from '../../src/contract/names';
import { type SampledCall, samplesOf } from '../../src/dataset/model-calls';
import type { DatasetRow } from '../../src/dataset/row';
import { anyRow, CONTEXT, rowOf, sampledCalls } from '../dataset/any-row';
import { reply, stepOf, turnOf } from '../rollout/sample';
import { writeFormat } from './files';
import { pythonWith, testWith } from './python';

const folder = mkdtempSync(join(tmpdir(), 'pointsman-records-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Sequence {
  readonly ids: number[];
  readonly mask: number[];
  readonly logprobs: number[];
}
const FORMATS = ['nemo-gym', 'skyrl', 'verifiers', 'atif'] as const satisfies readonly DatasetFormat[];

/** What a trainer should see, from the calls alone. */
function expected(calls: readonly SampledCall[]): Sequence[] {
  return samplesOf(calls).map(({ ids, answers }) => {
    const mask = ids.map(() => 0);
    const logprobs = ids.map(() => 0);
    for (const { call, start, end } of answers) {
      mask.fill(1, start, end);
      call.tokens.logprobs!.forEach((logprob, i) => {
        logprobs[start + i] = logprob;
      });
    }
    return { ids: [...ids], mask, logprobs };
  });
}

testWith(pythonWith('records'))(
  'each package reads the ids that were sampled, and what belongs to them',
  async (python) => {
    const malformed = { reply: reply('Let me think.'), error: { code: 'missing_action' as const, observation: 'No.' } };
    const slip = (turn: number) => ({
      ...turnOf(turn, `t${turn}`, { tool: 'bash', args: { command: `echo ${turn}` } }),
      rejected: turn === 2 ? [malformed, malformed] : [],
    });
    const slipped = rowOf(
      [1, 2, 3, 4].map((turn) => stepOf(slip(turn), `${turn}`)),
      { id: 'slipped', train: ['student'] },
    );
    const windowed = rowOf(
      [1, 2, 3, 4, 5].map((turn) => stepOf({ ...slip(turn), rejected: [] }, `${turn}\n`)),
      {
        id: 'windowed',
        train: ['student'],
        dialect: 'tools',
        view: { history: { kind: 'last_n_observations', n: 2 } },
      },
    );
    const refused = [{ ...malformed, author: 'student' as const }];
    const { transcript, view } = windowed.trajectory!;
    const forked: DatasetRow = {
      ...windowed,
      id: 'forked',
      metadata: { ...windowed.metadata, rollout_id: 'forked' },
      trajectory: {
        ...windowed.trajectory!,
        copied: 2,
        calls: sampledCalls(transcript, view, { copied: 2, refused }),
      },
    };
    const lost: DatasetRow = {
      ...slipped,
      id: 'lost',
      metadata: { ...slipped.metadata, rollout_id: 'lost', valid: false, reason: 'environment_lost', resolved: false },
    };
    const any = fc
      .sample(anyRow({ train: ['student', 'expert'] }), { numRuns: 60, seed: 23 })
      .map((row, i) => ({ ...row, id: `any-${i}`, metadata: { ...row.metadata, rollout_id: `any-${i}` } }));
    const rows = [slipped, windowed, forked, lost, ...any];
    const written = [];
    for (const format of FORMATS) written.push((await writeFormat(join(folder, format), format, rows, CONTEXT)).jsonl);
    const read = python.run('rl_records.py', ...written) as Record<string, Record<string, Sequence[]>>;
    for (const row of rows) {
      const { calls } = row.trajectory!;
      const trained = calls.filter(
        ({ author, copied }) => !copied && row.metadata.train.includes(author),
      ) as SampledCall[];
      const sequences = expected(trained);
      expect(read['nemo-gym']![row.id]).toEqual(sequences);
      expect(read.verifiers![row.id]).toEqual(sequences);
      const unlearned = sequences.map((each) => ({ ...each, mask: each.mask.map(() => 0) }));
      expect(read.skyrl![row.id]).toEqual(row.metadata.valid ? sequences : unlearned);
      // Its steps are turns: a call each, and none for a reply that could not be read.
      const made = calls.filter(({ step, copied }) => step !== null && !copied) as SampledCall[];
      expect(read.atif![row.id]).toEqual(made.flatMap((call) => expected([call])));
    }
    expect(expected(slipped.trajectory!.calls as SampledCall[]).length).toBe(2);
    expect(expected(windowed.trajectory!.calls as SampledCall[]).length).toBe(3);
  },
);
