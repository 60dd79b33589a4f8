import type { Command } from 'commander';
import { dollars, duration } from '../../pages/figures';
import { type Cli, look } from '../context';
import { attributesOf, newest, statusOf } from '../lookup';
import { wholeOption } from '../options';
import { table } from '../terminal/table';

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly phase: string | null;
  /** `complete`, or why not. */
  readonly outcome: string | null;
  readonly methods: readonly string[];
  readonly instances: number | null;
  readonly planned: number | null;
  readonly done: number | null;
  readonly costUsd: number | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

const QUERY = "WorkflowType = 'campaign'";

/** `campaign list`: what the server's visibility knows, newest first, then those that only the home still has. */
export function addCampaignList(campaign: Command, cli: Cli): void {
  campaign
    .command('list')
    .description('list campaigns, newest first')
    .option('--limit <n>', 'show at most this many', wholeOption, 20)
    .action(async ({ limit }: { limit: number }) => {
      const campaigns: Listed[] = [];
      for (const each of await newest(cli, QUERY, limit)) {
        const { Phase, Outcome, Step, CostUsd } = attributesOf(each);
        const memo = each.memo as Partial<Pick<Listed, 'instances' | 'planned' | 'methods'>> | undefined;
        campaigns.push({
          id: each.workflowId,
          status: statusOf(each),
          phase: Phase ?? null,
          outcome: Outcome ?? null,
          methods: memo?.methods ?? [],
          instances: memo?.instances ?? null,
          planned: memo?.planned ?? null,
          done: Step ?? null,
          costUsd: CostUsd ?? null,
          startedAt: each.startTime.toISOString(),
          endedAt: each.closeTime?.toISOString() ?? null,
        });
      }
      const listed = new Set(campaigns.map(({ id }) => id));
      const kept = (await cli.campaigns.list()).filter((id) => !listed.has(id));
      campaigns.push(...kept.slice(0, Math.max(0, limit - campaigns.length)).map(onlyKept));
      cli.print({ campaigns }, () => (campaigns.length === 0 ? 'no campaigns' : asTable(campaigns, Date.now())));
    });
}

function onlyKept(id: string): Listed {
  const unknown = { phase: null, outcome: null, instances: null, planned: null, done: null, costUsd: null };
  return { id, status: 'kept', methods: [], ...unknown, startedAt: null, endedAt: null };
}

function asTable(campaigns: readonly Listed[], now: number): string {
  return table<Listed>(
    campaigns,
    [
      // Whole, because it is what other commands are given.
      { title: 'ID', value: ({ id }) => id },
      { title: 'METHODS', value: ({ methods }) => methods.join(', ') || '-', elastic: true, spare: true },
      { title: 'STATUS', value: state },
      {
        title: 'DONE',
        value: ({ done, planned }) => (planned === null ? '-' : `${done ?? 0}/${planned}`),
        right: true,
      },
      { title: 'COST', value: ({ costUsd }) => (costUsd === null ? '-' : dollars(costUsd)), right: true },
      {
        title: 'AGE',
        value: ({ startedAt }) => (startedAt === null ? '-' : duration(now - Date.parse(startedAt))),
        right: true,
      },
    ],
    look().width,
  );
}

function state({ status, phase, outcome }: Listed): string {
  if (status === 'running') return phase?.toLowerCase() ?? status;
  return status === 'completed' ? (outcome?.replaceAll('_', ' ') ?? status) : status;
}
