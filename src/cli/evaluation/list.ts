import type { Command } from 'commander';
import { dollars, duration } from '../../pages/figures';
import { type Cli, look } from '../context';
import { attributesOf, equals, newest, statusOf } from '../lookup';
import { wholeOption } from '../options';
import { table } from '../terminal/table';

interface Listed {
  readonly id: string;
  readonly solver: string | null;
  readonly problemsOf: string | null;
  readonly status: string;
  readonly phase: string | null;
  /** `complete`, or why not. */
  readonly outcome: string | null;
  readonly problems: number | null;
  readonly samples: number | null;
  readonly done: number | null;
  readonly passAtK: readonly { readonly k: number; readonly value: number }[];
  readonly costUsd: number | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
}

/** `evaluation list`: what the server's visibility knows, newest first. */
export function addEvaluationList(evaluation: Command, cli: Cli): void {
  evaluation
    .command('list')
    .description('list evaluations, newest first')
    .option('--limit <n>', 'show at most this many', wholeOption, 20)
    .option('--solver <name>', 'of that solver')
    .action(async ({ limit, solver }: { limit: number; solver?: string }) => {
      const of = solver === undefined ? '' : ` AND ${equals('Student', solver)}`;
      const query = `WorkflowType = 'evaluation'${of}`;
      const evaluations: Listed[] = [];
      for (const each of await newest(cli, query, limit)) {
        const { InstanceId, Student, Phase, Outcome, Step, CostUsd } = attributesOf(each);
        const memo = each.memo as Partial<Pick<Listed, 'problems' | 'samples' | 'passAtK'>> | undefined;
        evaluations.push({
          id: each.workflowId,
          solver: Student ?? null,
          problemsOf: InstanceId ?? null,
          status: statusOf(each),
          phase: Phase ?? null,
          outcome: Outcome ?? null,
          problems: memo?.problems ?? null,
          samples: memo?.samples ?? null,
          done: Step ?? null,
          passAtK: memo?.passAtK ?? [],
          costUsd: CostUsd ?? null,
          startedAt: each.startTime.toISOString(),
          endedAt: each.closeTime?.toISOString() ?? null,
        });
      }
      cli.print({ evaluations }, () =>
        evaluations.length === 0 ? 'no evaluations' : asTable(evaluations, Date.now()),
      );
    });
}

function asTable(evaluations: readonly Listed[], now: number): string {
  return table<Listed>(
    evaluations,
    [
      // Whole, because it is what other commands are given.
      { title: 'ID', value: ({ id }) => id },
      { title: 'PROBLEMS', value: ({ problemsOf }) => problemsOf ?? '-', elastic: true },
      { title: 'STATUS', value: state },
      {
        title: 'PASS@k',
        value: ({ passAtK }) => passAtK.map(({ k, value }) => `@${k} ${(value * 100).toFixed(1)} %`).join(' ') || '-',
      },
      { title: 'COST', value: ({ costUsd }) => (costUsd === null ? '-' : dollars(costUsd)), right: true },
      { title: 'AGE', value: ({ startedAt }) => duration(now - Date.parse(startedAt)), right: true },
    ],
    look().width,
  );
}

function state({ status, phase, outcome, done, problems, samples }: Listed): string {
  if (status !== 'running') return status === 'completed' ? (outcome?.replaceAll('_', ' ') ?? status) : status;
  const asked = problems !== null && samples !== null ? `${done ?? 0}/${problems * samples}` : '';
  return [phase?.toLowerCase() ?? status, asked].join(' ').trim();
}
