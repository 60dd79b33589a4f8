import { randomBytes } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import { quote } from '../agent/shell';
import {
  FailureAnalysisInput,
  type FailureAnalysisProgress,
  type FailureAnalysisResult,
  parseInput,
} from '../contract';
import { failureData } from '../page/report/parts/failure-table';
import { failureLines, failureProgressLine, type ShareRow } from '../view/analysis/failures';
import { sourceOf } from './analysis-source';
import type { Cli } from './context';
import { followed, resultIfAwaited } from './follow';
import { given, readInput, type Written } from './input-file';
import { dollarsOption, wholeOption } from './options';
import { addInputOption, addStartOptions, type StartFlags, warnOfProfiles } from './start-options';
import { look } from './terminal';

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
export function addFailuresStart(failures: Command, cli: Cli): void {
  const command = failures.command('start').description('have a judge say why unresolved rollouts failed');
  addInputOption(command)
    .option('--of <source...>', 'campaigns that have ended, or files of rollouts')
    .option('--run <id...>', 'single rollouts')
    .option('--methods <name...>', 'these alone (default: all)')
    .option('--judge <name>', 'profile (default: builtin:rules, which decides what needs no model)')
    .option('--last-turns <n>', 'turns that the judge is shown (default: 20)', wholeOption)
    .option('--buckets <list>', 'of the switch index (default: 0-6,7-15,16-30)', bucketsOption)
    .option('--concurrency <n>', 'rollouts at once (default: 8)', wholeOption)
    .option('--cost <usd>', 'USD at most; the run parks when it is reached', dollarsOption)
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

export function printFailures(cli: Cli, result: FailureAnalysisResult): void {
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
