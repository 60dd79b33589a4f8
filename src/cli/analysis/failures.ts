import { randomBytes } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import {
  FailureAnalysisInput,
  type FailureAnalysisProgress,
  type FailureAnalysisResult,
  FailureVerdict,
  JudgedCategory,
  jsonLines,
  PointsmanError,
  parseInput,
} from '../../contract';
import { failureData } from '../../pages/report/parts/failure-table';
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
import { failureLines, failureProgressLine, type ShareRow, verdictLines } from '../terminal/analysis/failures';
import { addAnalysisList, addAnalysisSteering, sourceOf } from './runs';

interface ShowFlags {
  readonly verdicts?: boolean;
  readonly category?: string;
  readonly full?: boolean;
}

export function addFailuresCommands(failures: Command, cli: Cli): void {
  addFailuresStart(failures, cli);
  addAnalysisList(failures, cli, 'failureAnalysis', 'analyses of failures');
  failures
    .command('show <id>')
    .description('print the tables of an analysis, or its progress')
    .option('--verdicts', 'every verdict with what the judge said')
    .option('--category <name>', `with --verdicts: ${JudgedCategory.options.join(', ')}`)
    .option('--full', 'nothing cut')
    .action(async (id: string, flags: ShowFlags) => {
      const found = await findWorkflow<FailureAnalysisProgress, FailureAnalysisResult>(cli, id, 'failureAnalysis');
      const { result, progress = null, trouble = null, ui } = found;
      if (result) return flags.verdicts ? printVerdicts(cli, result, flags) : printFailures(cli, result);
      const status = statusOf(found.described);
      const lines = [progress ? failureProgressLine(progress) : status, trouble, ui].filter(Boolean);
      cli.print({ id, status, progress, trouble, ui: ui ?? null }, () => [id, ...lines].join('\n'));
      exitAs(status);
    });
  addAnalysisSteering(failures, cli);
  addResultFetch(failures, cli, 'analyses', async (id) => id);
}

async function printVerdicts(
  cli: Cli,
  { id, failures }: FailureAnalysisResult,
  { category, full }: ShowFlags,
): Promise<void> {
  const wanted = category === undefined ? undefined : JudgedCategory.safeParse(category.replaceAll(' ', '_')).data;
  if (category !== undefined && !wanted)
    throw new PointsmanError(
      'InvalidInput',
      `--category: no category "${category}"`,
      `There are: ${JudgedCategory.options.join(', ')}.`,
    );
  const text = (await cli.blobs.get(failures.sha256)).toString('utf8');
  const verdicts = jsonLines(FailureVerdict, text, 'failures').filter(
    (verdict) => wanted === undefined || verdict.category === wanted,
  );
  cli.print({ id, verdicts }, () =>
    verdicts.length === 0 ? 'no verdicts' : verdictLines(verdicts, look(full)).join('\n'),
  );
}

interface Flags extends StartFlags {
  readonly of?: readonly string[];
  readonly run?: readonly string[];
  readonly methods?: readonly string[];
  readonly judge?: string;
  readonly lastTurns?: number;
  readonly buckets?: readonly (readonly [number, number])[];
  readonly concurrency?: number;
  readonly cost?: number;
  readonly seed?: number;
}

/** `failures start`: a judge says of every unresolved rollout why it failed. */
function addFailuresStart(failures: Command, cli: Cli): void {
  const command = failures.command('start').description('let a judge say why unresolved rollouts failed');
  addInputOption(command)
    .option('--of <source...>', 'campaigns that have ended, or files of rollouts')
    .option('--run <id...>', 'single rollouts')
    .option('--methods <name...>', 'only these (default: all)')
    .option('--judge <name>', 'profile (default: builtin:rules, which needs no model)')
    .option('--last-turns <n>', 'turns that the judge is shown (default: 20)', wholeOption)
    .option('--buckets <list>', 'of the switch index (default: 0-6,7-15,16-30)', bucketsOption)
    .option('--concurrency <n>', 'rollouts at once (default: 8)', wholeOption)
    .option('--cost <usd>', 'cost limit in USD; the run parks when it is reached', dollarsOption)
    .option('--seed <n>', 'order of judging', wholeOption);
  addStartOptions(command).action(async ({ input: file, id, wait, watch, ...flags }: Flags) => {
    const input = inputOf(file ? readInput(file) : {}, flags);
    warnOfProfiles(cli, [input.judge]);
    const workflow = id ?? `failures/${randomBytes(4).toString('hex')}`;
    const handle = await cli.start('failureAnalysis', input, { id: workflow, note: 'failure analysis' });
    const follow = `pointsman failures show ${quote(handle.workflowId)}`;
    const result = await resultIfAwaited(cli, handle, {
      wait,
      watch,
      follow,
      later: 'once it has ended',
      watched: () =>
        followed<FailureAnalysisProgress, FailureAnalysisResult>(cli, handle, { follow, line: failureProgressLine }),
    });
    if (result) printFailures(cli, result);
  });
}

function printFailures(cli: Cli, result: FailureAnalysisResult): void {
  const paths = ['README.md', 'failures.jsonl', 'failures.csv', 'buckets.csv'].map(
    (name) => `${result.folder}/${name}`,
  );
  cli.print(result, () =>
    [
      result.id,
      ...failureLines(result, shareRows(result), look()),
      '',
      ...paths,
      `pointsman failures show ${quote(result.id)} --verdicts`,
    ].join('\n'),
  );
}

/** The lines of table 3 without the counts and what is one less another share. */
function shareRows({ table }: FailureAnalysisResult): ShareRow[] {
  const { columns, rows } = failureData(table);
  const shown = columns.flatMap(({ kind, key }, at) => (kind === 'share' && key !== 'not_submitted_share' ? [at] : []));
  return rows.map((row) => ({
    paper: row[0] === 'paper',
    name: String(row[1]),
    shares: shown.map((at) => (typeof row[at] === 'number' ? row[at] : null)),
  }));
}

function inputOf(written: Written, flags: Omit<Flags, keyof StartFlags>): Written {
  const { of: named = [], run, cost, ...same } = flags;
  const sources = [...named.map(sourceOf), ...(run ? [{ runs: run }] : [])];
  const fields = { ...same, costUsd: cost, sources: sources.length > 0 ? sources : undefined };
  const merged: Written = { ...written, ...given(fields) };
  parseInput<unknown>(FailureAnalysisInput, merged, 'failureAnalysis');
  return merged;
}

function bucketsOption(text: string): [number, number][] {
  return text.split(',').map((part) => {
    const found = /^\s*(\d+)\s*[-–]\s*(\d+)\s*$/.exec(part);
    if (!found) throw new InvalidArgumentError('expected bounds, like 0-6,7-15,16-30.');
    return [Number(found[1]), Number(found[2])];
  });
}
