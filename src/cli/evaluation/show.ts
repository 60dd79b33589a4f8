import type { Command } from 'commander';
import { nearest, PointsmanError } from '../../contract';
import { type Cli, look } from '../context';
import { exitAs } from '../lookup';
import { candidateLines, evaluationHeader, evaluationText, type ShownCandidate } from '../terminal/evaluation/report';
import type { ShownEvaluation } from '../terminal/evaluation/shown-evaluation';
import { safeLines } from '../terminal/safe-text';
import { readEvaluation } from './reading';

interface Flags {
  readonly problem?: string;
  readonly full?: boolean;
  readonly report?: boolean;
}

/** `evaluation show`: figures and problems; one problem's candidates; or the report as it is. */
export function addEvaluationShow(evaluation: Command, cli: Cli): void {
  evaluation
    .command('show <id>')
    .description('print an evaluation, or the candidates of one problem')
    .option('--problem <id>', 'the candidates of that problem, each with the first case that differed')
    .option('--full', 'nothing folded')
    .option('--report', 'the report alone, as Markdown')
    .action(async (id: string, { problem, full, report }: Flags) => {
      const run = await readEvaluation(cli, id);
      if (report) return printReport(cli, run);
      if (problem !== undefined) return printCandidates(cli, run, problem, full ?? false);
      const { progress = null, result = null, trouble = null, links, ...shown } = run;
      cli.print({ ...shown, progress, result, trouble, links: Object.fromEntries(links) }, () =>
        evaluationText(run, look(full)),
      );
      exitAs(run.status);
    });
}

async function printReport(cli: Cli, { id, result }: ShownEvaluation): Promise<void> {
  if (!result) throw new PointsmanError('NotFound', `${id} has no report yet`, 'It is written at the end.');
  const report = (await cli.blobs.get(result.report.sha256)).toString('utf8');
  cli.print({ report }, () => (process.stdout.isTTY ? safeLines(report).join('\n') : report).replace(/\n$/, ''));
}

async function printCandidates(cli: Cli, run: ShownEvaluation, problem: string, full: boolean): Promise<void> {
  const { problems, outcomes, result } = run;
  if (!result) throw new PointsmanError('NotFound', `${run.id} has no candidates yet`, 'They are kept at the end.');
  if (!problems.some(({ id }) => id === problem)) {
    const ids = problems.map(({ id }) => id);
    const close = nearest(problem, ids);
    throw new PointsmanError(
      'NotFound',
      `${run.id} has no problem "${problem}"${close ? `, did you mean "${close}"?` : ''}`,
      '`pointsman evaluation show ID` lists those it has.',
    );
  }
  const candidates = await Promise.all(
    outcomes
      .filter((outcome) => outcome.problem === problem)
      .map(async (outcome): Promise<ShownCandidate> => {
        const source = outcome.code ? (await cli.blobs.get(outcome.code.sha256)).toString('utf8') : null;
        return { ...outcome, source };
      }),
  );
  cli.print({ id: run.id, problem, candidates }, () =>
    [...evaluationHeader(run, look(full)).slice(0, 3), problem, '', ...candidateLines(candidates, look(full))]
      .join('\n')
      .trimEnd(),
  );
}
