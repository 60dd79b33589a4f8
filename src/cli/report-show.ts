import type { Command } from 'commander';
import type { ReportResult } from '../contract';
import { grouped } from '../view/figures';
import { table } from '../view/table';
import type { Cli } from './context';
import { openPage } from './open-page';
import { pagePath, pageState, readReport } from './report-reading';
import { look } from './terminal';

/** `report show`: where the page is, what is in it, and whether it is as it was written. */
export function addReportShow(report: Command, cli: Cli): void {
  report
    .command('show <name|id>')
    .description('where a report is and what is in it')
    .option('--open', 'show it in the browser')
    .action(async (named: string, { open }: { open?: boolean }) => {
      const result = await readReport(cli, named);
      const state = pageState(result);
      cli.print({ ...result, state }, () => asText(result, state));
      if (open) openPage(pagePath(result));
    });
}

function asText(result: ReportResult, state: string): string {
  const { id, page, parts, files } = result;
  return [
    `${id}`,
    pagePath(result),
    `${grouped(page.bytes)} bytes, sha256 ${page.sha256.slice(0, 12)}, ${state}`,
    '',
    ...parts.map((part) => `  ${part}`),
    '',
    table(
      files,
      [
        { title: 'FILE', value: ({ path }) => path },
        { title: 'BYTES', value: ({ bytes }) => grouped(bytes), right: true },
        { title: 'SHA-256', value: ({ sha256 }) => sha256.slice(0, 12) },
      ],
      look().width,
    ),
  ].join('\n');
}
