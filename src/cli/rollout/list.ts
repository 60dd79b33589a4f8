import type { Command } from 'commander';
import { ExitStatus } from '../../contract';
import { dollars, moment } from '../../pages/figures';
import { type Cli, look } from '../context';
import { attributesOf, equals, newest, statusCondition, statusOf } from '../lookup';
import { wholeOption } from '../options';
import { table } from '../terminal/table';

interface Flags {
  readonly limit: number;
  readonly status?: string;
  readonly problem?: string;
}

/** `rollout list`: what the server's visibility knows, newest first. */
export function addList(rollout: Command, cli: Cli): void {
  rollout
    .command('list')
    .description('list rollouts, newest first')
    .option('--limit <n>', 'show at most this many', wholeOption, 20)
    .option(
      '--status <status>',
      'running, completed, failed, cancelled, resolved, unresolved, submitted, limit_steps, …',
    )
    .option('--problem <id>', 'rollouts of that problem')
    .action(async (flags: Flags) => {
      const query = listQuery(flags);
      const rollouts: Listed[] = [];
      for (const each of await newest(cli, query, flags.limit)) {
        const { InstanceId, Student, Expert, Phase, Outcome, Step, SwitchIndex, CostUsd, Resolved } =
          attributesOf(each);
        rollouts.push({
          id: each.workflowId,
          status: statusOf(each),
          phase: Phase ?? null,
          outcome: Outcome ?? null,
          resolved: Resolved ?? null,
          problem: InstanceId ?? null,
          student: Student ?? null,
          expert: Expert ?? null,
          switchIndex: SwitchIndex ?? null,
          turns: Step ?? null,
          costUsd: CostUsd ?? null,
          startedAt: each.startTime.toISOString(),
          endedAt: each.closeTime?.toISOString() ?? null,
        });
      }
      cli.print({ rollouts }, () => (rollouts.length === 0 ? 'no rollouts' : asTable(rollouts)));
    });
}

const OWN_STATUSES: Readonly<Record<string, string>> = {
  resolved: 'Resolved = true',
  unresolved: 'Resolved = false',
};

/** The visibility query; statuses of the workflow and endings of the rollout are asked for alike. */
function listQuery({ status, problem }: Pick<Flags, 'status' | 'problem'>): string {
  const parts = ["WorkflowType = 'rollout'"];
  if (problem !== undefined) parts.push(equals('InstanceId', problem));
  if (status !== undefined) parts.push(statusCondition(status, OWN_STATUSES, ExitStatus.options));
  return parts.join(' AND ');
}

interface Listed {
  id: string;
  status: string;
  phase: string | null;
  outcome: string | null;
  resolved: boolean | null;
  problem: string | null;
  student: string | null;
  expert: string | null;
  turns: number | null;
  switchIndex: number | null;
  costUsd: number | null;
  startedAt: string;
  endedAt: string | null;
}

function asTable(rollouts: readonly Listed[]): string {
  return table<Listed>(
    rollouts,
    [
      { title: 'ID', value: ({ id }) => id, elastic: true },
      { title: 'STATUS', value: (run) => (run.status === 'completed' ? (run.outcome ?? run.status) : state(run)) },
      { title: 'RESOLVED', value: ({ resolved }) => (resolved === null ? '-' : resolved ? 'yes' : 'no') },
      { title: 'TURNS', value: ({ turns }) => String(turns ?? '-'), right: true },
      { title: 'K', value: ({ switchIndex }) => String(switchIndex ?? '-'), right: true },
      { title: 'COST', value: ({ costUsd }) => (costUsd === null ? '-' : dollars(costUsd)), right: true },
      { title: 'STARTED', value: ({ startedAt }) => moment(new Date(startedAt)).slice(5, 16) },
    ],
    look().width,
  );
}

function state({ status, phase }: Listed): string {
  return status === 'running' && phase ? phase.toLowerCase() : status;
}
