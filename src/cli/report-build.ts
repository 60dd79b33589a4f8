import type { Command } from 'commander';
import { quote } from '../agent/shell';
import type { ReportResult } from '../contract';
import { count } from '../view/figures';
import type { Cli } from './context';
import { readInput } from './input-file';
import { openPage } from './open-page';
import { type ReportFlags, reportInput } from './report-input';
import { pagePath } from './report-reading';
import { addInputOption } from './start-options';

interface BuildFlags extends ReportFlags {
  readonly input?: string;
  readonly id?: string;
  readonly open?: boolean;
}

/** `report build`: the page out of what is named; what is not named is left out. */
export function addReportBuild(report: Command, cli: Cli): void {
  addInputOption(report.command('build').description('make the page, or make it again'))
    .option('--name <name>', 'folder under reports (default: after the data set or campaign)')
    .option('--title <text>', 'heading of the page')
    .option('--campaign <id...>', 'campaigns that have ended')
    .option('--rollouts <file...>', 'files of rollouts that no campaign here has')
    .option('--dataset <name|id>', 'a data set of this home, or the id of its workflow')
    .option('--shift <id>', 'a covariate shift analysis')
    .option('--failures <id>', 'a failure analysis')
    .option('--setup <id...>', 'set-ups')
    .option('--problems <id...>', 'builds of function problems')
    .option('--viewer <url>', 'address of `pointsman view`, to link to')
    .option('--rehearsal', 'say on the page that models are scripted (profiles of the rehearsal do so themselves)')
    .option('--id <id>', 'workflow id (default: report/NAME)')
    .option('--open', 'show it in the browser')
    .action(async ({ input: file, id, open, ...flags }: BuildFlags) => {
      const input = await reportInput(cli, file ? readInput(file) : {}, flags);
      const name = String(input.name);
      const result = await cli.run<ReportResult>('report', input, {
        id: id ?? `report/${name}`,
        note: `report ${name}`,
      });
      cli.print(result, () =>
        [
          pagePath(result),
          `${count(result.parts.length, 'part')}, ${count(result.files.length - 1, 'CSV', 'CSVs')}; one file, no network`,
          `pointsman report show ${quote(result.id)}`,
        ].join('\n'),
      );
      if (open) openPage(pagePath(result));
    });
}
