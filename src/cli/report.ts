import type { Command } from 'commander';
import type { Cli } from './context';
import { addReportBuild } from './report-build';
import { addReportList } from './report-list';
import { addReportShow } from './report-show';

export function addReportCommands(program: Command, cli: Cli): void {
  const report = program.command('report').description('one page about what was made, with the figures behind it');
  addReportBuild(report, cli);
  addReportList(report, cli);
  addReportShow(report, cli);
}
