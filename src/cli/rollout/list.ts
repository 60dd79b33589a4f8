import type { Command } from 'commander';
import { ExitStatus } from '../../contract';
import { dollars, moment } from '../../pages/figures';
import { type Cli, look } from '../context';
import { attributesOf, equals, newest, stateCondition, statusOf, wholeId } from '../lookup';
import { wholeOption } from '../options';
import { idsWithin } from '../terminal/ids';
import { table } from '../terminal/table';

interface Flags {
  readonly limit: number;
  readonly state?: string;
  /** What `--state` was called before. */
  readonly problem?: string;
  readonly campaign?: string;
}

/** `rollout list`: what the server's visibility knows, newest first. */
export function addList(rollout: Command, cli: Cli): void {
  rollout
    .command('list')
    .description('list rollouts, newest first')
    .option('--limit <n>', 'show at most this many', wholeOption, 20)
    .option(
      '--state <state>',
      'running, parked, completed, failed, cancelled, resolved, unresolved, submitted, limit_steps, …',
    )
    .option('--problem <id>', 'rollouts of that problem')
    .option('--campaign <id>', 'rollouts of that campaign, by its id or a beginning of it')
    .action(async (flags: Flags) => {
      const campaign = flags.campaign && (await wholeId(cli, flags.campaign, 'campaign'));
      const query = listQuery({ ...flags, campaign });
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
  parked: "ExecutionStatus = 'Running' AND Phase = 'Parked'",
  paused: "ExecutionStatus = 'Running' AND Phase = 'Paused'",
};

/** The visibility query; statuses of the workflow and endings of the rollout are asked for alike. */
function listQuery({ state: wanted, problem, campaign }: Omit<Flags, 'limit'>): string {
  const parts = ["WorkflowType = 'rollout'"];
  if (problem !== undefined) parts.push(equals('InstanceId', problem));
  if (campaign !== undefined) parts.push(equals('ParentWorkflowId', campaign));
  if (wanted !== undefined) parts.push(stateCondition(wanted, OWN_STATUSES, ExitStatus.options));
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

/** Columns of all that is not spare beside the id, and the fewest of an id. */
const [OTHERS, NARROW] = [46, 24];

function asTable(rollouts: readonly Listed[]): string {
  const { width } = look();
  const shown = idsWithin(
    rollouts.map(({ id }) => id),
    Math.max(NARROW, width - OTHERS),
  );
  return table<Listed>(
    rollouts,
    [
      { title: 'ID', value: ({ id }) => shown.get(id)! },
      { title: 'STATUS', value: (run) => (run.status === 'completed' ? (run.outcome ?? run.status) : state(run)) },
      { title: 'RESOLVED', value: ({ resolved }) => (resolved === null ? '-' : resolved ? 'yes' : 'no') },
      { title: 'TURNS', value: ({ turns }) => String(turns ?? '-'), right: true },
      { title: 'K', value: ({ switchIndex }) => String(switchIndex ?? '-'), right: true, spare: true },
      { title: 'COST', value: ({ costUsd }) => (costUsd === null ? '-' : dollars(costUsd)), right: true },
      { title: 'STARTED', value: ({ startedAt }) => moment(new Date(startedAt)).slice(5, 16), spare: true },
    ],
    width,
  );
}

function state({ status, phase }: Listed): string {
  return status === 'running' && phase ? phase.toLowerCase() : status;
}
