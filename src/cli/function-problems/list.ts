import type { Command } from 'commander';
import { dollars, duration } from '../../pages/figures';
import { type Cli, look } from '../context';
import { attributesOf, newest, statusOf } from '../lookup';
import { wholeOption } from '../options';
import { instanceTable } from '../terminal/function-problems/instances';
import { table } from '../terminal/table';
import { readInstances } from './instances';

interface Listed {
  readonly id: string;
  readonly of: string | null;
  readonly status: string;
  readonly phase: string | null;
  /** `12 admitted`. */
  readonly outcome: string | null;
  readonly costUsd: number | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
}

const QUERY = "WorkflowType = 'functionProblems'";

/** `function-problems list`: builds, newest first; or the problems of a file, a folder or a build. */
export function addFunctionProblemsList(problems: Command, cli: Cli): void {
  problems
    .command('list [from]')
    .description('list builds, or the problems of a file, a folder or a build')
    .option('--limit <n>', 'builds at most', wholeOption, 20)
    .action(async (from: string | undefined, { limit }: { limit: number }) => {
      if (from === undefined) return listBuilds(cli, limit);
      const { instances, from: where } = await readInstances(cli, from);
      const rows = instances.map(({ id, size, dependencies, outOfFile, harness, quality }) => ({
        id,
        lines: size.lines,
        tokens: size.tokens,
        dependencies,
        outOfFile,
        author: harness.author,
        cases: harness.cases.length,
        branchCoverage: quality.branchCoverage,
        mutationScore: quality.mutationScore,
      }));
      cli.print({ from: where, problems: rows }, () =>
        instances.length === 0 ? 'no problems' : instanceTable(instances, look().width),
      );
    });
}

async function listBuilds(cli: Cli, limit: number): Promise<void> {
  const builds: Listed[] = [];
  for (const each of await newest(cli, QUERY, limit)) {
    const { InstanceId, Phase, Outcome, CostUsd } = attributesOf(each);
    builds.push({
      id: each.workflowId,
      of: InstanceId ?? null,
      status: statusOf(each),
      phase: Phase ?? null,
      outcome: Outcome ?? null,
      costUsd: CostUsd ?? null,
      startedAt: each.startTime.toISOString(),
      endedAt: each.closeTime?.toISOString() ?? null,
    });
  }
  cli.print({ builds }, () => (builds.length === 0 ? 'no builds' : asTable(builds, Date.now())));
}

function asTable(builds: readonly Listed[], now: number): string {
  return table<Listed>(
    builds,
    [
      // Whole, because it is what other commands are given.
      { title: 'ID', value: ({ id }) => id },
      { title: 'OF', value: ({ of }) => of ?? '-', elastic: true },
      { title: 'STATUS', value: state },
      { title: 'COST', value: ({ costUsd }) => (costUsd === null ? '-' : dollars(costUsd)), right: true, spare: true },
      { title: 'AGE', value: ({ startedAt }) => duration(now - Date.parse(startedAt)), right: true },
    ],
    look().width,
  );
}

function state({ status, phase, outcome }: Listed): string {
  if (status === 'running') return phase?.toLowerCase() ?? status;
  return status === 'completed' ? (outcome ?? status) : status;
}
