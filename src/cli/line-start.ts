import type { Command } from 'commander';
import { LineInput, type LineProgress, type LineResult, PointsmanError, parseInput } from '../contract';
import { lineProgressLine, lineText } from '../view/line/line';
import type { Cli } from './context';
import { followed, resultIfAwaited, watchCommand } from './follow';
import { reachable, readInput, type Written } from './input-file';
import { wholeOption } from './options';
import { linksOf } from './report-input';
import { addInputOption, addStartOptions, type StartFlags } from './start-options';
import { look } from './terminal';

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
export function addLineStart(line: Command, cli: Cli): void {
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

export function printLine(cli: Cli, result: LineResult): void {
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
