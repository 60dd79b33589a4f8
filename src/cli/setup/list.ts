import type { Command } from 'commander';
import { SetupStatus, SetupVerdictResult } from '../../contract';
import { dollars, duration } from '../../pages/figures';
import { type Cli, look } from '../context';
import { attributesOf, equals, newest, stateCondition, statusOf } from '../lookup';
import { wholeOption } from '../options';
import { table } from '../terminal/table';

interface Flags {
  readonly limit: number;
  readonly state?: string;
  readonly source?: string;
}

interface Listed {
  readonly id: string;
  readonly source: string | null;
  readonly status: string;
  readonly phase: string | null;
  /** How the loop ended; `verified` where there was a verdict. */
  readonly outcome: string | null;
  readonly verdict: string | null;
  readonly steps: number | null;
  readonly costUsd: number | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
}

const VERDICTS: readonly string[] = SetupVerdictResult.shape.verdict.options;

/** `setup list`: what the server's visibility knows, newest first. */
export function addSetupList(setup: Command, cli: Cli): void {
  setup
    .command('list')
    .description('list set-ups, newest first')
    .option('--limit <n>', 'show at most this many', wholeOption, 20)
    .option('--state <state>', 'running, failed, verified, not_guilty, guilty, gave_up, …')
    .option('--source <source>', 'set-ups of that source')
    .action(async (flags: Flags) => {
      const query = setupQuery(flags);
      const setups: Listed[] = [];
      for (const each of await newest(cli, query, flags.limit)) {
        const { InstanceId, Phase, Outcome, Step, CostUsd } = attributesOf(each);
        const judged = Outcome !== undefined && VERDICTS.includes(Outcome);
        setups.push({
          id: each.workflowId,
          source: InstanceId ?? null,
          status: statusOf(each),
          phase: Phase ?? null,
          outcome: judged ? 'verified' : (Outcome ?? null),
          verdict: judged ? Outcome : null,
          // While it runs it is only written where a phase ends.
          steps: each.closeTime ? (Step ?? null) : null,
          costUsd: CostUsd ?? null,
          startedAt: each.startTime.toISOString(),
          endedAt: each.closeTime?.toISOString() ?? null,
        });
      }
      cli.print({ setups }, () => (setups.length === 0 ? 'no set-ups' : asTable(setups, Date.now())));
    });
}

const OWN_STATUSES: Readonly<Record<string, string>> = {
  // A verdict stands where the loop's ending stood: it is only given to what was verified.
  verified: `Outcome IN ('verified', ${VERDICTS.map((verdict) => `'${verdict}'`).join(', ')})`,
};

/** The visibility query; statuses of the workflow, endings of the loop and verdicts are asked for alike. */
export function setupQuery({ state, source }: Pick<Flags, 'state' | 'source'>): string {
  const parts = ["WorkflowType = 'repoSetup'"];
  if (source !== undefined) parts.push(equals('InstanceId', source));
  if (state !== undefined) parts.push(stateCondition(state, OWN_STATUSES, [...SetupStatus.options, ...VERDICTS]));
  return parts.join(' AND ');
}

function asTable(setups: readonly Listed[], now: number): string {
  return table<Listed>(
    setups,
    [
      // Whole, because it is what other commands are given; the source says less where there is no room.
      { title: 'ID', value: ({ id }) => id },
      { title: 'SOURCE', value: ({ source }) => source ?? '-', elastic: true },
      { title: 'STATUS', value: state },
      { title: 'STEPS', value: ({ steps }) => String(steps ?? '-'), right: true },
      { title: 'VERDICT', value: ({ verdict }) => verdict?.replaceAll('_', ' ') ?? '-' },
      { title: 'COST', value: ({ costUsd }) => (costUsd === null ? '-' : dollars(costUsd)), right: true },
      { title: 'AGE', value: ({ startedAt }) => duration(now - Date.parse(startedAt)), right: true },
    ],
    look().width,
  );
}

function state({ status, phase, outcome }: Listed): string {
  if (status === 'running') return phase?.toLowerCase() ?? status;
  return status === 'completed' ? (outcome?.replaceAll('_', ' ') ?? status) : status;
}
