import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cli } from '../../src/cli/context';
import { writeEvaluation } from '../../src/cli/evaluation/folder';
import type { ShownEvaluation } from '../../src/cli/terminal/evaluation/shown-evaluation';
import type { CandidateOutcome, Estimate, EvaluationResult, ProblemEntry } from '../../src/contract';
import { FileBlobs } from '../../src/store/local/blobs';

const home = mkdtempSync(join(tmpdir(), 'pointsman-evaluation-'));
const blobs = new FileBlobs(join(home, 'blobs'));
const cli = { blobs } as unknown as Cli;
const estimate = (value: number, n: number): Estimate => ({ value, low: value / 2, high: (1 + value) / 2, n });

async function shown(repair: EvaluationResult['repair']): Promise<ShownEvaluation> {
  const ref = await blobs.put('# Evaluation\n');
  const entry = (id: string): ProblemEntry => ({
    ...{ id, instance: ref, dependencies: 3, outOfFile: true },
    tokens: 40,
    cases: 3,
  });
  const outcome = (problem: string, sample: number, passed: boolean): CandidateOutcome => ({
    ...{ problem, sample, repair: 0, passed, verdict: passed ? 'passed' : 'different', cases: { passed: 1, total: 3 } },
    ...{ detail: '', code: ref, reply: ref, cost: { usd: 0, tokens: 0 } },
  });
  const outcomes = [outcome('a', 0, true), outcome('a', 1, false), outcome('b', 0, false), outcome('b', 1, false)];
  const candidates = await blobs.put(outcomes.map((each) => `${JSON.stringify(each)}\n`).join(''));
  const result: EvaluationResult = {
    ...{ id: 'evaluation/x', status: 'complete', solver: 'expert <1>', context: 'sliced', planFirst: false },
    ...{ problems: 2, samples: 2, solved: 1, verdicts: { different: 3, passed: 1 }, cost: { usd: 0, tokens: 0 } },
    passAtK: [{ k: 1, estimate: estimate(0.25, 2) }],
    breakdown: [{ by: 'dependencies', bucket: '2–3', estimate: estimate(0.25, 2) }],
    ...{ repair, problemSet: ref, candidates, report: ref },
  };
  return {
    ...{ id: result.id, status: 'completed', solver: result.solver, problemsOf: undefined, startedAt: new Date(0) },
    ...{ endedAt: new Date(1), progress: undefined, result, problems: [entry('a'), entry('b')], outcomes },
    ...{ trouble: undefined, links: [] },
  };
}

test('an evaluation as files: report, candidates, and each plot with its figures', async () => {
  const out = join(home, 'out');
  const repaired = await shown({ tried: 1, solvedAfter: [0, 1], rates: [estimate(0, 1), estimate(1, 1)] });
  const written = await writeEvaluation(cli, repaired, out);
  for (const [, path] of written) expect(existsSync(path)).toBe(true);
  expect(readdirSync(out).sort()).toEqual(
    ['report.md', 'candidates.jsonl', 'pass-at-k', 'self-repair', 'breakdown']
      .flatMap((name) => (name.includes('.') ? [name] : [`${name}.csv`, `${name}.svg`]))
      .sort(),
  );
  const svg = readFileSync(join(out, 'pass-at-k.svg'), 'utf8');
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" /);
  expect(svg).toContain('expert &lt;1&gt;');
  // PASS@1 and PASS@2 of two problems, of which one has one right answer of two.
  expect(readFileSync(join(out, 'pass-at-k.csv'), 'utf8').split('\r\n').slice(1, 3)).toEqual([
    expect.stringMatching(/^k,1,0\.25,.*,2$/),
    expect.stringMatching(/^k,2,0\.5,.*,2$/),
  ]);
  // Written again without self-repair, nothing of it stays; and the rest is the same to the byte.
  const before = readFileSync(join(out, 'breakdown.svg'), 'utf8');
  await writeEvaluation(cli, await shown(null), out);
  expect(existsSync(join(out, 'self-repair.svg'))).toBe(false);
  expect(readFileSync(join(out, 'breakdown.svg'), 'utf8')).toBe(before);
});
