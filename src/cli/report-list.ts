import type { Command } from 'commander';
import { duration } from '../view/figures';
import { table } from '../view/table';
import type { Cli } from './context';
import { attributesOf, statusOf } from './found-workflow';
import { newest } from './listing';
import { wholeOption } from './options';
import { look } from './terminal';

interface Listed {
  readonly id: string;
  readonly name: string | null;
  readonly status: string;
  readonly folder: string | null;
  readonly parts: readonly string[];
  readonly startedAt: string;
}

/** `report list`: what the server's visibility knows, newest first. */
export function addReportList(report: Command, cli: Cli): void {
  report
    .command('list')
    .description('list reports, newest first')
    .option('--limit <n>', 'at most so many', wholeOption, 20)
    .action(async ({ limit }: { limit: number }) => {
      const query = "WorkflowType = 'report'";
      const reports: Listed[] = [];
      for (const each of await newest(cli, query, limit)) {
        const memo = each.memo as Partial<Pick<Listed, 'folder' | 'parts'>> | undefined;
        reports.push({
          id: each.workflowId,
          name: attributesOf(each).InstanceId ?? null,
          status: statusOf(each),
          folder: memo?.folder ?? null,
          parts: memo?.parts ?? [],
          startedAt: each.startTime.toISOString(),
        });
      }
      cli.print({ reports }, () => (reports.length === 0 ? 'no reports' : asTable(reports, Date.now())));
    });
}

function asTable(reports: readonly Listed[], now: number): string {
  return table<Listed>(
    reports,
    [
      // Whole, because it is what other commands are given.
      { title: 'ID', value: ({ id }) => id },
      { title: 'STATUS', value: ({ status }) => status },
      { title: 'PARTS', value: ({ parts }) => String(parts.length), right: true },
      { title: 'AGE', value: ({ startedAt }) => duration(now - Date.parse(startedAt)), right: true },
      { title: 'FOLDER', value: ({ folder }) => folder ?? '-', elastic: true },
    ],
    look().width,
  );
}
