import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hashKey, uniformUnit } from '../agent/random';
import { quote } from '../agent/shell';
import { figureCsv, figuresOf } from '../analysis/evaluation/figures';
import { PointsmanError } from '../contract';
import { standaloneSvg } from '../page/standalone-svg';
import type { ShownEvaluation } from '../view/evaluation/shown-evaluation';
import type { Cli } from './context';
import { evaluationCharts } from './evaluation-charts';

/** Files of an evaluation, as absolute paths: candidates, report, and a drawing with its figures for each chart. */
export type WrittenEvaluation = readonly (readonly [name: string, path: string])[];

const CHARTS = ['pass-at-k', 'self-repair', 'breakdown'] as const;

/**
 * Writes an evaluation that has ended into a folder, in place of an earlier one. A file is whole or not there, and the same
 * evaluation gives the same files. Throws `NotFound` while there is nothing to write.
 */
export async function writeEvaluation(cli: Cli, shown: ShownEvaluation, out: string): Promise<WrittenEvaluation> {
  const { id, status, solver, result, problems, outcomes, trouble } = shown;
  if (!result || outcomes.length === 0)
    throw new PointsmanError(
      'NotFound',
      `${id} has no candidates to write: it is ${status}${trouble ? ` (${trouble})` : ''}`,
      status === 'running' ? `\`pointsman evaluation watch ${quote(id)}\` waits for it.` : '',
    );
  const folder = resolve(out);
  mkdirSync(folder, { recursive: true });
  for (const chart of CHARTS)
    for (const ending of ['svg', 'csv']) rmSync(join(folder, `${chart}.${ending}`), { force: true });
  const write = (name: string, body: string): [string, string] => {
    const file = join(folder, name);
    writeFileSync(`${file}.new`, body);
    renameSync(`${file}.new`, file);
    return [name, file];
  };
  const blob = async (sha256: string) => (await cli.blobs.get(sha256)).toString('utf8');
  const stream = hashKey('figures');
  const figures = figuresOf(result, problems, outcomes, () => uniformUnit(stream));
  const rows = { 'pass-at-k': figures.passAtK, 'self-repair': figures.repair ?? [], breakdown: figures.breakdown };
  const charts = evaluationCharts(solver, figures);
  return [
    write('report.md', await blob(result.report.sha256)),
    write('candidates.jsonl', await blob(result.candidates.sha256)),
    ...CHARTS.flatMap((name) => {
      const chart = charts.get(name);
      return chart ? [write(`${name}.svg`, standaloneSvg(chart)), write(`${name}.csv`, figureCsv(rows[name]))] : [];
    }),
  ];
}

export function writtenLines(written: WrittenEvaluation): string[] {
  const width = Math.max(...written.map(([name]) => name.length));
  return written.map(([name, path]) => `${name.padEnd(width)}  ${path}`);
}
