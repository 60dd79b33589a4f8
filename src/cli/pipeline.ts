import type { Command } from 'commander';
import { PipelineInput, type PipelineProgress, type PipelineResult, PointsmanError, parseInput } from '../contract';
import { dollars, duration } from '../pages/figures';
import { type Cli, look } from './context';
import { followed, resultIfAwaited, watchCommand } from './follow';
import { reachable, readInput, type Written } from './input-file';
import { attributesOf, exitAs, findWorkflow, newest, statusOf } from './lookup';
import { addInputOption, addStartOptions, type StartFlags, wholeOption } from './options';
import { linksOf } from './report/input';
import { addWindowSteering } from './steer';
import { pipelineProgressLine, pipelineProgressText, pipelineText } from './terminal/pipeline';
import { table } from './terminal/table';

export function addPipelineCommands(pipeline: Command, cli: Cli): void {
  addPipelineStart(pipeline, cli);
  addPipelineList(pipeline, cli);
  addPipelineShow(pipeline, cli);
  addWindowSteering(pipeline, cli, {
    units: 'stages',
    kept: 'stages',
    cancelled: 'finished stages are kept, and a pipeline of the same id reuses them',
    show: 'pointsman pipeline show ID',
  });
}

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

/** `pipeline list`: what the server's visibility knows, newest first. */
function addPipelineList(pipeline: Command, cli: Cli): void {
  pipeline
    .command('list')
    .description('list pipelines, newest first')
    .option('--limit <n>', 'show at most this many', wholeOption, 20)
    .action(async ({ limit }: { limit: number }) => {
      const query = "WorkflowType = 'pipeline'";
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

interface LineFlags {
  readonly name?: string;
  readonly repository?: readonly string[];
  readonly problem?: readonly string[];
  readonly student?: string;
  readonly expert?: string;
  readonly passes?: number;
  readonly seed?: number;
  readonly scripted?: boolean;
}

/** Exit code of `--wait` for a pipeline that ended with less than was asked for. */
const NOT_COMPLETE = 3;

/** `pipeline start`: from repositories to a data set and a report. */
function addPipelineStart(pipeline: Command, cli: Cli): void {
  const command = pipeline.command('start').description('from repositories to a data set and a report');
  addInputOption(command)
    .option('--name <name>', 'of the data set and the report')
    .option('--repository <source...>', 'pypi:NAME==VERSION, dir:PATH, ...; see `pointsman setup start --help`')
    .option('--problem <problem...>', 'problems from elsewhere: folders, files or ids')
    .option('--student <profile>', 'with --expert: on-policy expert corrections, cloning and on-policy rollouts')
    .option('--expert <profile>', 'takes over at a random turn')
    .option('--passes <n>', 'over all problems, by each method', wholeOption)
    .option('--seed <n>', 'seed of switches, limits and intervals', wholeOption)
    .option('--scripted', 'the models are scripted: the report says so');
  addStartOptions(command, 'workflow id; one that runs is joined, one that has ended is continued')
    .addHelpText('after', '\nExit code of --wait and --watch: 0 complete, 3 ended with less, 1 an error.')
    .action(async ({ input: file, id, wait, watch, ...flags }: LineFlags & StartFlags) => {
      const input = lineInput(file ? readInput(file) : {}, flags);
      if (input.report !== null) input.report = { links: await linksOf(cli), ...(input.report as object | undefined) };
      const handle = await cli.start('pipeline', input, {
        id: id ?? `pipeline/${input.name}`,
        note: `pipeline ${input.name}`,
      });
      const follow = watchCommand('pipeline', handle);
      const result = await resultIfAwaited(cli, handle, {
        wait,
        watch,
        follow,
        watched: () => followed<PipelineProgress, PipelineResult>(cli, handle, { follow, line: pipelineProgressLine }),
      });
      if (result) printLine(cli, result);
    });
}

function printLine(cli: Cli, result: PipelineResult): void {
  cli.print(result, () => pipelineText(result, look()));
  if (result.status !== 'complete') process.exitCode = NOT_COMPLETE;
}

/** File and flags put together and checked. With a student and an expert and no campaign of its own: the paper's three methods. */
function lineInput(written: Written, flags: LineFlags): Written & { name: string } {
  const { name, repository, problem, student, expert, passes, seed, scripted } = flags;
  const merged: Written = { ...written };
  if (name !== undefined) merged.name = name;
  if (repository) merged.repositories = repository.map((source) => ({ source }));
  if (problem) merged.problems = problem.map(reachable);
  if (student !== undefined || expert !== undefined) {
    if (student === undefined || expert === undefined)
      throw new PointsmanError(
        'InvalidInput',
        `pipeline: ${student === undefined ? '--student' : '--expert'}: a profile is needed too`,
        'For other campaigns write an input file; examples/pipeline.json is one.',
      );
    merged.campaign = { ...(merged.campaign as object | undefined), methods: methodsOf(student, expert) };
    merged.dataset ??= { train: { 'on-policy': ['student'] } };
    merged.failureAnalysis ??= {};
    merged.covariateShift ??= { expert: 'bc', students: ['on-policy'] };
  }
  if (passes !== undefined) merged.campaign = { ...(merged.campaign as object | undefined), passes };
  if (seed !== undefined) merged.campaign = { ...(merged.campaign as object | undefined), seed };
  if (scripted) merged.report = { ...(merged.report as object | undefined), rehearsal: true };
  const { name: given } = parseInput(PipelineInput, merged, 'pipeline');
  return { ...merged, name: given };
}

function methodsOf(student: string, expert: string): object[] {
  return [
    { name: 'oec', student, expert, handOver: { uniform: [0, 30] } },
    { name: 'bc', expert, handOver: { at: 0 } },
    { name: 'on-policy', student, handOver: { never: true } },
  ];
}

/** `pipeline show` and `pipeline watch`. */
function addPipelineShow(pipeline: Command, cli: Cli): void {
  pipeline
    .command('show <id>')
    .description('print the progress of a pipeline, or its result')
    .action(async (id: string) => {
      const found = await findWorkflow<PipelineProgress, PipelineResult>(cli, id, 'pipeline');
      const { progress = null, result = null, trouble = null, ui = null, described } = found;
      const status = statusOf(described);
      cli.print({ id, status, progress, result, trouble, ui }, () =>
        [
          ...(result
            ? [pipelineText(result, look())]
            : progress
              ? [pipelineProgressText(id, progress, look())]
              : [`${id}: ${status}`]),
          ...(trouble ? ['', trouble] : []),
          ...(ui ? ['', `in the UI  ${ui}`] : []),
        ].join('\n'),
      );
      exitAs(status);
    });
  pipeline
    .command('watch <id>')
    .description('follow a pipeline live, to its end')
    .action(async (id: string) => {
      const { handle } = await findWorkflow(cli, id, 'pipeline');
      const follow = watchCommand('pipeline', handle);
      printLine(
        cli,
        await followed<PipelineProgress, PipelineResult>(cli, handle, { follow, line: pipelineProgressLine }),
      );
    });
}
