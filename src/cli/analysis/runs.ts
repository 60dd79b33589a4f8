import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { RolloutSource } from '../../contract';
import { dollars, duration } from '../../pages/figures';
import { type Cli, look } from '../context';
import { attributesOf, newest, statusOf } from '../lookup';
import { dollarsOption, wholeOption } from '../options';
import { addWindowSteering, sendUpdate } from '../steer';
import { table } from '../terminal/table';

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly phase: string | null;
  /** `complete`, or `partial` for one that was abandoned. */
  readonly outcome: string | null;
  readonly about: string | null;
  readonly costUsd: number | null;
  readonly folder: string | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
}

/** `… list` of one type of analysis: what the server's visibility knows, newest first. */
export function addAnalysisList(noun: Command, cli: Cli, type: string, what: string): void {
  noun
    .command('list')
    .description(`list ${what}, newest first`)
    .option('--limit <n>', 'show at most this many', wholeOption, 20)
    .action(async ({ limit }: { limit: number }) => {
      const query = `WorkflowType = '${type}'`;
      const analyses: Listed[] = [];
      for (const each of await newest(cli, query, limit)) {
        const { Phase, Outcome, InstanceId, Student, Expert, CostUsd } = attributesOf(each);
        const memo = each.memo as { folder?: string } | undefined;
        analyses.push({
          id: each.workflowId,
          status: statusOf(each),
          phase: Phase ?? null,
          outcome: Outcome ?? null,
          about: [Expert ? `${Student} against ${Expert}` : Student, InstanceId].filter(Boolean).join(', ') || null,
          costUsd: CostUsd ?? null,
          folder: memo?.folder ?? null,
          startedAt: each.startTime.toISOString(),
          endedAt: each.closeTime?.toISOString() ?? null,
        });
      }
      cli.print({ analyses }, () => (analyses.length === 0 ? `no ${what}` : asTable(analyses, Date.now())));
    });
}

function asTable(analyses: readonly Listed[], now: number): string {
  return table<Listed>(
    analyses,
    [
      // Whole, because it is what other commands are given.
      { title: 'ID', value: ({ id }) => id },
      { title: 'OF', value: ({ about }) => about ?? '-', elastic: true },
      {
        title: 'STATUS',
        value: ({ status, phase, outcome }) =>
          status === 'running' ? (phase ?? status).toLowerCase() : (outcome ?? status),
      },
      { title: 'COST', value: ({ costUsd }) => (costUsd === null ? '-' : dollars(costUsd)), right: true },
      { title: 'AGE', value: ({ startedAt }) => duration(now - Date.parse(startedAt)), right: true },
    ],
    look().width,
  );
}

/** `pause|resume|abandon|concurrency|cancel|budget ID` of an analysis that looks at each trajectory by itself. */
export function addAnalysisSteering(noun: Command, cli: Cli): void {
  addWindowSteering(noun, cli, {
    units: 'trajectories',
    kept: 'trajectories',
    cancelled: 'answers that were paid for are kept, so that starting it again costs less',
    show: `pointsman ${noun.name()} show ID`,
  });
  noun
    .command('budget <id> <usd>')
    .description('set a new cost limit, counted from the start; then resume')
    .action(async (id: string, usd: string) => {
      const costUsd = dollarsOption(usd);
      await sendUpdate(cli, id, 'setBudget', { costUsd });
      cli.print({ id, costUsd }, () => `${id}: at most $${costUsd}`);
    });
}

/** A file of rollouts or the id of a campaign. The worker runs in another folder, so a path is handed to it in full. */
export function sourceOf(named: string): RolloutSource {
  return existsSync(named) ? { rollouts: resolve(named) } : { campaign: named };
}
