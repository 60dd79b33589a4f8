import { randomBytes } from 'node:crypto';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  CovariateShiftInput,
  type CovariateShiftProgress,
  type CovariateShiftResult,
  parseInput,
  type ShiftGroup,
} from '../../contract';
import { quote } from '../../rollout/shell';
import { type Cli, look } from '../context';
import { addResultFetch } from '../fetch';
import { followed, resultIfAwaited } from '../follow';
import { given, readInput, type Written } from '../input-file';
import { exitAs, findWorkflow, statusOf } from '../lookup';
import {
  addInputOption,
  addStartOptions,
  dollarsOption,
  type StartFlags,
  warnOfProfiles,
  wholeOption,
} from '../options';
import { shiftLines, shiftProgressLine } from '../terminal/analysis/shift';
import { addAnalysisList, addAnalysisSteering, sourceOf } from './runs';

export function addCovariateShiftCommands(shift: Command, cli: Cli): void {
  addShiftStart(shift, cli);
  addAnalysisList(shift, cli, 'covariateShift', 'measured shifts');
  shift
    .command('show <id>')
    .description('print the figures of an analysis, or its progress')
    .option('--full', 'every turn')
    .action(async (id: string, { full }: { full?: boolean }) => {
      const found = await findWorkflow<CovariateShiftProgress, CovariateShiftResult>(cli, id, 'covariateShift');
      const { result, progress = null, trouble = null, ui } = found;
      if (result) return printShift(cli, result, full);
      const status = statusOf(found.described);
      const lines = [progress ? shiftProgressLine(progress) : status, trouble, ui].filter(Boolean);
      cli.print({ id, status, progress, trouble, ui: ui ?? null }, () => [id, ...lines].join('\n'));
      exitAs(status);
    });
  addAnalysisSteering(shift, cli);
  addResultFetch(shift, cli, 'analyses', async (id) => id);
}

interface Flags extends StartFlags {
  readonly expertRuns?: ShiftGroup;
  readonly studentRuns?: readonly ShiftGroup[];
  readonly only?: readonly string[];
  readonly embedding?: string;
  readonly over?: string;
  readonly replicate?: number;
  readonly permutations?: number;
  readonly turns?: number;
  readonly embedTokens?: number;
  readonly concurrency?: number;
  readonly cost?: number;
  readonly seed?: number;
}

/** `covariate-shift start`: trajectories embedded at every turn, and the distance of students from an expert. */
function addShiftStart(shift: Command, cli: Cli): void {
  const command = shift
    .command('start')
    .description('embed trajectories at every turn and compare students with an expert');
  addInputOption(command)
    .option('--expert-runs <group>', 'campaign or file of rollouts, ":METHOD" behind it: campaign/a:bc', groupOption)
    .option('--student-runs <group...>', 'the same; "NAME=" before it names it', groupsOption)
    .option('--only <id...>', 'only these instances (default: all that every group has)')
    .option('--embedding <name>', 'profile with /embeddings (default: builtin:hashing, which needs no model)')
    .option('--embed-tokens <n>', 'how many of the last tokens of a history are embedded', wholeOption)
    .addOption(
      new Option('--over <what>', 'replicates over all instances, or in each').choices(['pooled', 'per_instance']),
    )
    .option('--replicate <n>', 'rollouts in a replicate (default: 10)', wholeOption)
    .option('--permutations <n>', 'shuffles of the null, 0 for none (default: 200)', wholeOption)
    .option('--turns <n>', 'last turn that is compared (default: 80)', wholeOption)
    .option('--concurrency <n>', 'trajectories at once (default: 8)', wholeOption)
    .option('--cost <usd>', 'cost limit in USD; the run parks when it is reached', dollarsOption)
    .option('--seed <n>', 'seed of replicates, intervals and shuffles', wholeOption);
  addStartOptions(command).action(async ({ input: file, id, wait, watch, ...flags }: Flags) => {
    const input = inputOf(file ? readInput(file) : {}, flags);
    warnOfProfiles(cli, [input.embedding]);
    const workflow = id ?? `shift/${randomBytes(4).toString('hex')}`;
    const handle = await cli.start('covariateShift', input, { id: workflow, note: 'covariate shift' });
    const follow = `pointsman covariate-shift show ${quote(handle.workflowId)}`;
    const result = await resultIfAwaited(cli, handle, {
      wait,
      watch,
      follow,
      later: 'once it has ended',
      watched: () =>
        followed<CovariateShiftProgress, CovariateShiftResult>(cli, handle, { follow, line: shiftProgressLine }),
    });
    if (result) printShift(cli, result);
  });
}

function printShift(cli: Cli, result: CovariateShiftResult, full = false): void {
  const paths = ['README.md', 'points.csv'].map((name) => `${result.folder}/${name}`);
  cli.print(result, () =>
    [result.id, ...shiftLines(result, look(full)), '', ...paths, `${result.folder}/shift-fd.svg`].join('\n'),
  );
}

function inputOf(written: Written, flags: Omit<Flags, keyof StartFlags>): Written {
  const { expertRuns: expert, studentRuns, replicate, turns, cost, only, ...same } = flags;
  const fields = {
    ...same,
    expert,
    students: studentRuns,
    instances: only,
    replicateSize: replicate,
    maxTurns: turns,
    costUsd: cost,
  };
  const merged: Written = { ...written, ...given(fields) };
  parseInput<unknown>(CovariateShiftInput, merged, 'covariateShift');
  return merged;
}

/** `NAME=SOURCE:METHOD`; without a name the method is it, or what the source is called. */
function groupOption(text: string): ShiftGroup {
  const found = /^(?:([^=]+)=)?(.+?)(?::([^:/\\]+))?$/.exec(text);
  if (!found) throw new InvalidArgumentError('expected a campaign or file, like campaign/a:on-policy.');
  const [, name, source, method] = found;
  return { name: name ?? method ?? source!.slice(-60), source: sourceOf(source!), ...(method ? { method } : {}) };
}

function groupsOption(text: string, before: readonly ShiftGroup[] = []): ShiftGroup[] {
  return [...before, groupOption(text)];
}
