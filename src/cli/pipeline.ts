import type { Command } from 'commander';
import { LineInput, type LineProgress, type LineResult, PointsmanError, parseInput } from '../contract';
import { dollars, duration } from '../pages/figures';
import type { Cli } from './context';
import { followed, resultIfAwaited, watchCommand } from './follow';
import { attributesOf, findWorkflow, statusOf } from './found-workflow';
import { reachable, readInput, type Written } from './input-file';
import { newest } from './listing';
import { look } from './look';
import { addInputOption, addStartOptions, type StartFlags, wholeOption } from './options';
import { linksOf } from './report/input';
import { addWindowSteering } from './steer';
import { lineProgressLine, lineProgressText, lineText } from './terminal/pipeline';
import { table } from './terminal/table';

export function addLineCommands(program: Command, cli: Cli): void {
  const line = program
    .command('line')
    .description('the whole line: repositories, problems, rollouts, data set, report');
  addLineStart(line, cli);
  addLineList(line, cli);
  addLineShow(line, cli);
  addWindowSteering(line, cli, {
    units: 'stages',
    kept: 'stages',
    cancelled: 'what its stages had finished is kept, and a line of the same id takes it up',
    show: 'pointsman line show ID',
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

/** `line list`: what the server's visibility knows, newest first. */
function addLineList(line: Command, cli: Cli): void {
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

interface LineFlags {
  readonly name?: string;
  readonly repository?: readonly string[];
  readonly problem?: readonly string[];
  readonly student?: string;
  readonly expert?: string;
  readonly passes?: number;
  readonly seed?: number;
  readonly rehearsal?: boolean;
}

/** Exit code of `--wait` for a line that ended with less than was asked for. */
const NOT_COMPLETE = 3;

/** `line start`: from repositories to a data set and a report. */
function addLineStart(line: Command, cli: Cli): void {
  const command = line.command('start').description('from repositories to a data set and a report');
  addInputOption(command)
    .option('--name <name>', 'of the data set and the report')
    .option('--repository <source...>', 'pypi:NAME==VERSION, dir:PATH, ...; see `pointsman setup start --help`')
    .option('--problem <problem...>', 'problems from elsewhere: folders, files or ids')
    .option('--student <profile>', 'with --expert: on-policy expert corrections, cloning and on-policy rollouts')
    .option('--expert <profile>', 'takes over at a random turn')
    .option('--passes <n>', 'over all problems, by each method', wholeOption)
    .option('--seed <n>', 'of switches, caps and intervals', wholeOption)
    .option('--rehearsal', 'the models are scripted: the report says so');
  addStartOptions(command, 'workflow id; one that runs already is joined, one that ended is taken up')
    .addHelpText('after', '\nExit code of --wait and --watch: 0 complete, 3 ended with less, 1 an error.')
    .action(async ({ input: file, id, wait, watch, ...flags }: LineFlags & StartFlags) => {
      const input = lineInput(file ? readInput(file) : {}, flags);
      if (input.report !== null) input.report = { links: await linksOf(cli), ...(input.report as object | undefined) };
      const handle = await cli.start('line', input, { id: id ?? `line/${input.name}`, note: `line ${input.name}` });
      const follow = watchCommand('line', handle);
      const result = await resultIfAwaited(cli, handle, {
        wait,
        watch,
        follow,
        watched: () => followed<LineProgress, LineResult>(cli, handle, { follow, line: lineProgressLine }),
      });
      if (result) printLine(cli, result);
    });
}

function printLine(cli: Cli, result: LineResult): void {
  cli.print(result, () => lineText(result, look()));
  if (result.status !== 'complete') process.exitCode = NOT_COMPLETE;
}

/** File and flags put together and checked. With a student and an expert and no campaign of its own: the paper's three methods. */
function lineInput(written: Written, flags: LineFlags): Written & { name: string } {
  const { name, repository, problem, student, expert, passes, seed, rehearsal } = flags;
  const merged: Written = { ...written };
  if (name !== undefined) merged.name = name;
  if (repository) merged.repositories = repository.map((source) => ({ source }));
  if (problem) merged.problems = problem.map(reachable);
  if (student !== undefined || expert !== undefined) {
    if (student === undefined || expert === undefined)
      throw new PointsmanError(
        'InvalidInput',
        `line: ${student === undefined ? '--student' : '--expert'}: a profile is needed beside the other`,
        'Other campaigns are written into an input file; examples/line.json is one.',
      );
    merged.campaign = { ...(merged.campaign as object | undefined), methods: methodsOf(student, expert) };
    merged.dataset ??= { train: { 'on-policy': ['student'] } };
    merged.failureAnalysis ??= {};
    merged.covariateShift ??= { expert: 'bc', students: ['on-policy'] };
  }
  if (passes !== undefined) merged.campaign = { ...(merged.campaign as object | undefined), passes };
  if (seed !== undefined) merged.campaign = { ...(merged.campaign as object | undefined), seed };
  if (rehearsal) merged.report = { ...(merged.report as object | undefined), rehearsal };
  const { name: given } = parseInput(LineInput, merged, 'line');
  return { ...merged, name: given };
}

function methodsOf(student: string, expert: string): object[] {
  return [
    { name: 'oec', student, expert, handOver: { uniform: [0, 30] } },
    { name: 'bc', expert, handOver: { at: 0 } },
    { name: 'on-policy', student, handOver: { never: true } },
  ];
}

/** `line show` and `line watch`. */
function addLineShow(line: Command, cli: Cli): void {
  line
    .command('show <id>')
    .description('print where a line is, or what came of it')
    .action(async (id: string) => {
      const found = await findWorkflow<LineProgress, LineResult>(cli, id, 'line');
      const { progress = null, result = null, trouble = null, ui = null, described } = found;
      const status = statusOf(described);
      cli.print({ id, status, progress, result, trouble, ui }, () =>
        [
          ...(result
            ? [lineText(result, look())]
            : progress
              ? [lineProgressText(id, progress, look())]
              : [`${id}: ${status}`]),
          ...(trouble ? ['', trouble] : []),
          ...(ui ? ['', `in the UI  ${ui}`] : []),
        ].join('\n'),
      );
    });
  line
    .command('watch <id>')
    .description('follow a line live, to its end')
    .action(async (id: string) => {
      const { handle } = await findWorkflow(cli, id, 'line');
      const follow = watchCommand('line', handle);
      printLine(cli, await followed<LineProgress, LineResult>(cli, handle, { follow, line: lineProgressLine }));
    });
}
