import { writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type ComparedRun, compared } from '../../analysis/comparison';
import { PointsmanError, type RepoSetupResult } from '../../contract';
import { inputOf } from '../../store/history';
import { type Cli, look } from '../context';
import { watchCommand } from '../follow';
import { readInput } from '../input-file';
import { wholeOption } from '../options';
import { comparisonText } from '../terminal/setup/comparison';
import { ended } from '../wait';
import {
  asCsv,
  CHOSEN_MODES,
  type ChosenMode,
  comparedRun,
  inTurn,
  type Job,
  planned,
  readSources,
} from './compare-plan';
import { type SetupFlags, warnOfPolicies } from './input';
import { SOURCES_HELP, withSetupFlags } from './start';

interface Flags extends SetupFlags {
  readonly sources: readonly string[];
  readonly modes: readonly ChosenMode[];
  readonly passes: number;
  readonly concurrency: number;
  readonly name?: string;
  readonly input?: string;
  readonly csv?: string;
}

/** `setup compare`: the lift of memory, on the same sources with and without it. */
export function addSetupCompare(setup: Command, cli: Cli): void {
  withSetupFlags(setup.command('compare').description('set the same sources up with and without experience'))
    .requiredOption('--sources <source|file...>', 'sources, or files with one a line')
    .addOption(
      new Option('--modes <list>', 'modes, separated by commas')
        .argParser(modesOption)
        .default(CHOSEN_MODES.slice(0, 3), CHOSEN_MODES.slice(0, 3).join(',')),
    )
    .option('--passes <n>', 'passes over all sources', countOption, 1)
    .option('--concurrency <n>', 'runs at once', countOption, 1)
    .option('--name <name>', 'name of the comparison; the same name continues it')
    .option('-i, --input <file>', 'fields that all inputs share')
    .option('--csv <file>', 'write the runs there too')
    .addHelpText(
      'after',
      `${SOURCES_HELP}

off and frozen write nothing to memory; frozen reads the worker's own. learn
has a memory apart, which begins with the units of the package and is kept
under the comparison's name; its runs go one after another, in order. crossed
asks whether experience carries over: the sources are dealt out to two halves,
each half is set up once for what it teaches (lesson), to a memory that begins
with nothing, and then again with only what the other half taught.`,
    )
    .action(async (flags: Flags) => {
      const name = nameOf(
        flags.name ??
          new Date()
            .toISOString()
            .slice(0, 16)
            .replace(/[^0-9]/g, ''),
      );
      const { modes, passes, concurrency } = flags;
      const basis = flags.input ? readInput(flags.input) : {};
      const jobs = planned({ name, sources: readSources(flags.sources), modes, passes, basis, flags });
      warnOfPolicies(cli, jobs[0]!.input);
      cli.say(`comparison ${name}: ${jobs.length} runs; --name ${name} continues it`);
      const runs = await runAll(cli, jobs, concurrency);
      if (flags.csv) writeFileSync(flags.csv, asCsv(runs));
      const comparison = compared(runs, modes);
      cli.print({ name, runs, ...comparison }, () => comparisonText(runs, comparison, look()));
    });
}

/** All runs in the order of the jobs. Ctrl-C ends the driving; runs that began go on. */
async function runAll(cli: Cli, jobs: readonly Job[], concurrency: number): Promise<ComparedRun[]> {
  const client = await cli.client();
  const done = new Map<Job, ComparedRun>();
  const leave = () => {
    cli.say('started runs continue; the same command with the same --name follows them again');
    process.exit(130);
  };
  process.once('SIGINT', leave);
  try {
    await inTurn(jobs, concurrency, async (job) => {
      const run = await settled(cli, client, job);
      done.set(job, run);
      cli.say(`${done.size}/${jobs.length} ${run.id}: ${run.verdict ?? run.status ?? run.trouble ?? 'failed'}`);
    });
  } finally {
    process.off('SIGINT', leave);
  }
  return jobs.map((job) => done.get(job)!);
}

/** The outcome of one run: of one that is there, or of one that is started now. Only a failed one is started again. */
async function settled(cli: Cli, client: Client, job: Job): Promise<ComparedRun> {
  const known = client.workflow.getHandle(job.id);
  const status = await known.describe().then(
    (there) => there.status.name,
    (error: unknown) => {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    },
  );
  if ((status === 'RUNNING' || status === 'COMPLETED') && !isDeepStrictEqual(await inputOf(known), job.input)) {
    throw new PointsmanError(
      'InvalidInput',
      `${job.id} was started with another input`,
      'Give --name another name: runs of one comparison may differ only in memory.',
    );
  }
  // Starting joins one that runs, and sees to a worker for it.
  const start = () => cli.start('repoSetup', job.input, { id: job.id, note: `${job.mode} ${job.source}`, among: true });
  const handle = status === 'COMPLETED' ? known : await start();
  const ending = await ended<RepoSetupResult>(cli, handle, { follow: watchCommand('setup', handle) });
  if ('result' in ending) return comparedRun(job, ending.result);
  const { error } = ending;
  // One that is parked, or whose server went away, has not failed.
  if ((await handle.describe()).status.name === 'RUNNING') throw error;
  return comparedRun(job, undefined, error instanceof Error ? error.message : String(error));
}

function nameOf(name: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,50}$/.test(name)) return name;
  throw new PointsmanError('InvalidInput', `--name: ${name}`, 'Small letters, digits, ".", "_" and "-".');
}

function modesOption(text: string): ChosenMode[] {
  const modes = text.split(',').map((word) => {
    const mode = CHOSEN_MODES.find((each) => each === word.trim());
    if (!mode) throw new InvalidArgumentError(`${word.trim()} is none of ${CHOSEN_MODES.join(', ')}.`);
    return mode;
  });
  return [...new Set(modes)];
}

function countOption(text: string): number {
  const value = wholeOption(text);
  if (value < 1) throw new InvalidArgumentError('expected a whole number from 1.');
  return value;
}
