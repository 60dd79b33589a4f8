import type { Command } from 'commander';
import { dollars, duration } from '../view/figures';
import { table } from '../view/table';
import type { Cli } from './context';
import { attributesOf, statusOf } from './found-workflow';
import { newest } from './listing';
import { wholeOption } from './options';
import { look } from './terminal';

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly phase: string | null;
  readonly outcome: string | null;
  readonly problems: number | null;
  /** Rows of its data set. */
  readonly kept: number | null;
  readonly costUsd: number | null;
  readonly startedAt: string;
}

/** `line list`: what the server's visibility knows, newest first. */
export function addLineList(line: Command, cli: Cli): void {
  line
    .command('list')
    .description('list lines, newest first')
    .option('--limit <n>', 'at most so many', wholeOption, 20)
    .action(async ({ limit }: { limit: number }) => {
      const query = "WorkflowType = 'line'";
      const lines: Listed[] = [];
      for (const each of await newest(cli, query, limit)) {
        const { Phase, Outcome, CostUsd } = attributesOf(each);
        const memo = each.memo as Partial<Pick<Listed, 'problems' | 'kept'>> | undefined;
        lines.push({
          id: each.workflowId,
          status: statusOf(each),
          phase: Phase ?? null,
          outcome: Outcome ?? null,
          problems: memo?.problems ?? null,
          kept: memo?.kept ?? null,
          costUsd: CostUsd ?? null,
          startedAt: each.startTime.toISOString(),
        });
      }
      cli.print({ lines }, () => (lines.length === 0 ? 'no lines' : asTable(lines, Date.now())));
    });
}

function asTable(lines: readonly Listed[], now: number): string {
  return table<Listed>(
    lines,
    [
      // Whole, because it is what other commands are given.
      { title: 'ID', value: ({ id }) => id },
      { title: 'STATUS', value: ({ status, phase, outcome }) => (status === 'running' ? phase : outcome) ?? status },
      { title: 'PROBLEMS', value: ({ problems }) => String(problems ?? '-'), right: true },
      { title: 'ROWS', value: ({ kept }) => String(kept ?? '-'), right: true },
      { title: 'COST', value: ({ costUsd }) => (costUsd === null ? '-' : dollars(costUsd)), right: true },
      { title: 'AGE', value: ({ startedAt }) => duration(now - Date.parse(startedAt)), right: true },
    ],
    look().width,
  );
}
