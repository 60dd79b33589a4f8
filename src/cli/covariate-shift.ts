import type { Command } from 'commander';
import type { CovariateShiftProgress, CovariateShiftResult } from '../contract';
import { shiftProgressLine } from '../view/analysis/shift';
import { addAnalysisList } from './analysis-list';
import { addAnalysisSteering } from './analysis-steer';
import type { Cli } from './context';
import { findWorkflow, statusOf } from './found-workflow';
import { addShiftStart, printShift } from './shift-start';

export function addCovariateShiftCommands(program: Command, cli: Cli): void {
  const shift = program
    .command('covariate-shift')
    .alias('shift')
    .description("how far students' histories drift from an expert's, turn by turn");
  addShiftStart(shift, cli);
  addAnalysisList(shift, cli, 'covariateShift', 'measured shifts');
  shift
    .command('show <id>')
    .description('print the figures of one that has ended, or where it is')
    .option('--full', 'every turn')
    .action(async (id: string, { full }: { full?: boolean }) => {
      const found = await findWorkflow<CovariateShiftProgress, CovariateShiftResult>(cli, id, 'covariateShift');
      const { result, progress = null, trouble = null, ui } = found;
      if (result) return printShift(cli, result, full);
      const status = statusOf(found.described);
      const lines = [progress ? shiftProgressLine(progress) : status, trouble, ui].filter(Boolean);
      cli.print({ id, status, progress, trouble, ui: ui ?? null }, () => [id, ...lines].join('\n'));
    });
  addAnalysisSteering(shift, cli);
}
