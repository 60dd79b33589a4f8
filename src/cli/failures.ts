import type { Command } from 'commander';
import {
  type FailureAnalysisProgress,
  type FailureAnalysisResult,
  FailureCategory,
  FailureVerdict,
  jsonLines,
  PointsmanError,
} from '../contract';
import { failureProgressLine, verdictLines } from '../view/analysis/failures';
import { addAnalysisList } from './analysis-list';
import { addAnalysisSteering } from './analysis-steer';
import type { Cli } from './context';
import { addFailuresStart, printFailures } from './failures-start';
import { findWorkflow, statusOf } from './found-workflow';
import { look } from './terminal';

interface ShowFlags {
  readonly verdicts?: boolean;
  readonly category?: string;
  readonly full?: boolean;
}

export function addFailuresCommands(program: Command, cli: Cli): void {
  const failures = program.command('failures').description('why unresolved rollouts failed, as a judge sees it');
  addFailuresStart(failures, cli);
  addAnalysisList(failures, cli, 'failureAnalysis', 'analyses of failures');
  failures
    .command('show <id>')
    .description('print the tables of one that has ended, or where it is')
    .option('--verdicts', 'every verdict with what the judge said')
    .option('--category <name>', `with --verdicts: ${FailureCategory.options.join(', ')}`)
    .option('--full', 'nothing cut')
    .action(async (id: string, flags: ShowFlags) => {
      const found = await findWorkflow<FailureAnalysisProgress, FailureAnalysisResult>(cli, id, 'failureAnalysis');
      const { result, progress = null, trouble = null, ui } = found;
      if (result) return flags.verdicts ? printVerdicts(cli, result, flags) : printFailures(cli, result);
      const status = statusOf(found.described);
      const lines = [progress ? failureProgressLine(progress) : status, trouble, ui].filter(Boolean);
      cli.print({ id, status, progress, trouble, ui: ui ?? null }, () => [id, ...lines].join('\n'));
    });
  addAnalysisSteering(failures, cli);
}

async function printVerdicts(
  cli: Cli,
  { id, failures }: FailureAnalysisResult,
  { category, full }: ShowFlags,
): Promise<void> {
  const wanted = category === undefined ? undefined : FailureCategory.safeParse(category.replaceAll(' ', '_')).data;
  if (category !== undefined && !wanted)
    throw new PointsmanError(
      'InvalidInput',
      `--category: no category "${category}"`,
      `There are: ${FailureCategory.options.join(', ')}.`,
    );
  const text = (await cli.blobs.get(failures.sha256)).toString('utf8');
  const verdicts = jsonLines(FailureVerdict, text, 'failures').filter(
    (verdict) => wanted === undefined || verdict.category === wanted,
  );
  cli.print({ id, verdicts }, () =>
    verdicts.length === 0 ? 'no verdicts' : verdictLines(verdicts, look(full)).join('\n'),
  );
}
