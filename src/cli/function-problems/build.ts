import { randomBytes } from 'node:crypto';
import { type WorkflowExecutionDescription, type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import { type Command, InvalidArgumentError } from 'commander';
import {
  ContextKind,
  FunctionProblemsInput,
  type FunctionProblemsProgress,
  type FunctionProblemsResult,
  HarnessMode,
  labelOfSource,
  nearest,
  PointsmanError,
  parseInput,
  type RepoSetupResult,
} from '../../contract';
import { resolveFilters } from '../../problems/extraction';
import { quote } from '../../rollout/shell';
import type { Cli } from '../context';
import { followed, resultIfAwaited, watchCommand } from '../follow';
import { given, readFilterTable, readInput, type Written } from '../input-file';
import {
  addInputOption,
  addOutOption,
  addStartOptions,
  assertOutWaits,
  type OutFlags,
  warnOfProfiles,
  wholeOption,
} from '../options';
import { absoluteSource } from '../setup/input';
import { SOURCES_HELP } from '../setup/start';
import { progressLine } from '../terminal/function-problems/build';
import { waited } from '../wait';
import { printBuildAnswer } from './folder';
import { readBuild } from './reading';

type Flags = BuildFlags & OutFlags;

/** Exit code of `--wait` for a build that admitted no function. */
const NO_PROBLEM = 3;

/** `function-problems build`: from an environment, or from a source that is set up first, to function problems. */
export function addFunctionProblemsBuild(problems: Command, cli: Cli): void {
  const command = problems.command('build').description('make problems of the functions of a repository');
  addInputOption(command)
    .option('--source <source>', 'repository, set up first; see below')
    .option('--setup <id>', 'environment of a finished set-up, by its id')
    .option('--image <image>', 'any image with the repository installed; --source is then only recorded')
    .option('--workdir <path>', 'the repository in the image (default: /repo)')
    .option('--test <command>', 'command that runs its own tests, from which calls are recorded')
    .option('--python <path>', 'interpreter in the image, if it is not python3')
    .option('--only <name...>', 'these functions, by dotted name')
    .option('--filters <file>', 'table of filters, like examples/function-filters.yaml')
    .option('--attempts <list>', 'AUTHOR[:CONTEXT[:MODE]],… in order, see below', attemptsOption)
    .option('--repairs <n>', 'times that a model may repair its harness', wholeOption)
    .option('--try-all', 'try every author and keep the best')
    .option('--refiner <name>', 'profile that rewrites docstrings (builtin:types)')
    .option('--max-functions <n>', 'try at most this many functions', wholeOption)
    .option('--cases <n>', 'cases of one harness, at most', wholeOption)
    .option('--concurrency <n>', 'functions at once (default: 2)', wholeOption)
    .option('--coverage <share>', 'branches to cover, like 0.8 or 80%', shareOption)
    .option('--mutation <share>', 'mutants to kill, like 0.6 or 60%', shareOption)
    .option('--seed <n>', 'seed of inputs, mutants and repeats', wholeOption);
  addOutOption(addStartOptions(command), 'the problems')
    .addHelpText(
      'after',
      `${SOURCES_HELP}

Authors: builtin:recorded-calls (the repository's own tests), and
builtin:hypothesis (generated inputs); or a model profile, with a context
(naive, full, sliced) and a mode (equivalence, prediction).

Exit code of --wait and --watch: 0 there are problems, 3 none was admitted,
1 an error.`,
    )
    .action((flags: Flags) => build(cli, flags));
}

async function build(cli: Cli, { input: file, id: given, wait, watch, out, ...flags }: Flags): Promise<void> {
  assertOutWaits({ wait, watch, out }, 'function-problems');
  const written = file ? readInput(file) : {};
  const ground = groundOf(written, flags);
  const id = given ?? `function-problems/${ground.label}-${randomBytes(4).toString('hex')}`;
  const input = buildInput(written, 'environment' in ground ? ground.environment : `${id}/setup`, flags);
  warnOfProfiles(cli, profilesIn(input));
  if ('source' in ground) await setUpFirst(cli, ground.source, `${id}/setup`);
  const handle = await cli.start('functionProblems', input, { id, note: `function problems of ${ground.label}` });
  const result = await resultIfAwaited(cli, handle, {
    wait,
    watch,
    follow: watchCommand('function-problems', handle),
    watched: () => followBuild(cli, handle),
  });
  if (!result) return;
  await printBuildAnswer(cli, result, out);
  if (result.admitted === 0) process.exitCode = NO_PROBLEM;
}

/**
 * Sets a source up under this id and waits for it: a build begins with what it leaves. One that runs is joined, and one that
 * has left an environment is taken as it is. Throws `Unavailable` where none comes of it.
 */
export async function setUpFirst(cli: Cli, source: string, id: string): Promise<void> {
  const handle = (await cli.client()).workflow.getHandle(id);
  const described = await handle.describe().catch((error: unknown): WorkflowExecutionDescription | undefined => {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  });
  if (described?.status.name === 'COMPLETED' && ((await handle.result()) as RepoSetupResult).image) {
    cli.say(`already set up: ${id}`);
    return;
  }
  cli.say(`setting ${source} up first: ${id}`);
  const begun = await cli.start('repoSetup', { source }, { id, note: `${source}, for its functions` });
  const { status, image, detail } = await waited<RepoSetupResult>(cli, begun, {
    follow: watchCommand('setup', begun),
  });
  if (image) return cli.say(`set up: ${image}`);
  throw new PointsmanError(
    'Unavailable',
    `${source} could not be set up: ${status.replaceAll('_', ' ')}${detail ? ` (${detail})` : ''}`,
    `\`pointsman setup show ${quote(id)}\` shows why; \`--image\` takes an environment of your own.`,
  );
}

/** `0.8` or `80%`. */
function shareOption(text: string): number {
  const value = text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1))
    throw new InvalidArgumentError('expected a share, like 0.8 or 80%.');
  return value;
}

/** `function-problems watch`: where it is as it goes, then what came of it. A worker that is killed meanwhile is waited for. */
export function addFunctionProblemsWatch(problems: Command, cli: Cli): void {
  problems
    .command('watch <id>')
    .description('follow a build live, to its end')
    .option('--out <dir>', 'write the problems there')
    .action(async (id: string, { out }: { out?: string }) => {
      // Refuses what is no build before anything is waited for.
      await readBuild(cli, id);
      const handle = (await cli.client()).workflow.getHandle(id);
      await printBuildAnswer(cli, await followBuild(cli, handle), out);
    });
}

/** Says on standard error where it is, once per change, until it ends. Throws what the workflow failed with. */
function followBuild(cli: Cli, handle: WorkflowHandle): Promise<FunctionProblemsResult> {
  return followed<FunctionProblemsProgress, FunctionProblemsResult>(cli, handle, {
    follow: watchCommand('function-problems', handle),
    line: progressLine,
  });
}

/** Flags that stand over what the input file says. */
export interface BuildFlags {
  readonly setup?: string;
  readonly image?: string;
  readonly workdir?: string;
  readonly test?: string;
  readonly source?: string;
  readonly python?: string;
  readonly only?: readonly string[];
  readonly filters?: string;
  readonly attempts?: readonly Attempt[];
  readonly repairs?: number;
  readonly tryAll?: boolean;
  readonly refiner?: string;
  readonly maxFunctions?: number;
  readonly cases?: number;
  readonly concurrency?: number;
  readonly coverage?: number;
  readonly mutation?: number;
  readonly seed?: number;
}

interface Attempt {
  readonly author: string;
  readonly context?: ContextKind;
  readonly mode?: HarnessMode;
}

/** What a build begins with: an environment, or a source that has to be set up before. */
type Ground =
  | { readonly environment: unknown; readonly label: string }
  | { readonly source: string; readonly label: string };

/** `builtin:hypothesis,mine:full:prediction`: authors in the order in which they are tried. Throws `InvalidInput`. */
export function attemptsOption(text: string): Attempt[] {
  return text.split(',').map((each) => {
    const [, author = '', context, mode, rest] = /^((?:builtin:)?[^:]*)(?::([^:]*))?(?::([^:]*))?(.*)$/.exec(
      each.trim(),
    )!;
    if (author === '' || rest) throw refused(`--attempts: expected AUTHOR[:CONTEXT[:MODE]] (found "${each.trim()}")`);
    return {
      author,
      context: context === undefined ? undefined : choice(context, ContextKind.options, 'context'),
      mode: mode === undefined ? undefined : choice(mode, HarnessMode.options, 'mode'),
    };
  });
}

function choice<T extends string>(word: string, options: readonly T[], what: string): T {
  const found = options.find((each) => each === word);
  if (found) return found;
  const close = nearest(word, options);
  throw refused(
    `--attempts: no ${what} "${word}"${close ? `, did you mean "${close}"?` : ''}`,
    `There are ${options.join(', ')}.`,
  );
}

/** What the flags or the file say to begin with. Throws `InvalidInput` where they say nothing, or two things. */
export function groundOf(written: Written, flags: BuildFlags): Ground {
  const { setup, image, source, workdir, test, python } = flags;
  if (setup !== undefined && (image ?? source) !== undefined)
    throw refused('--setup already says which image and source', 'Leave --image and --source out.');
  const named = Object.entries({ workdir, test, python }).filter(([, value]) => value !== undefined);
  if (image === undefined && named[0])
    throw refused(`--${named[0][0]} needs --image: a set-up knows it itself`, 'Give --image too, or leave it out.');
  if (setup !== undefined) return { environment: setup, label: setup.replace(/^.*\//, '') };
  if (image !== undefined) {
    const fields = { image, workdir, testCommand: test, python, source: source && absoluteSource(source) };
    return { environment: given(fields), label: labelOf(image) };
  }
  if (source !== undefined) return { source: absoluteSource(source), label: labelOfSource(absoluteSource(source)) };
  const { environment } = written;
  if (environment === undefined)
    throw refused(
      'nothing to build from',
      'Give --source to set one up first, --setup with the id of a finished set-up, or --image.',
    );
  const name =
    typeof environment === 'string' ? environment : String((environment as { image?: unknown })?.image ?? '');
  return { environment, label: labelOf(name.replace(/^.*\//, '')) };
}

/** File and flags put together and checked, defaults left to the workflow. Throws `InvalidInput` that names each field. */
export function buildInput(written: Written, environment: unknown, flags: BuildFlags): Written {
  const { only, tryAll, refiner, maxFunctions, seed, attempts, repairs, filters, coverage, mutation } = flags;
  const fields: Written = {
    environment,
    only,
    tryAll,
    refiner,
    maxFunctions,
    seed,
    concurrency: flags.concurrency,
    casesPerFunction: flags.cases,
    attempts: withRepairs(attempts ?? (written.attempts as readonly Attempt[] | undefined), repairs),
    filters: filters === undefined ? undefined : resolveFilters(readFilterTable(filters)),
    gates:
      coverage === undefined && mutation === undefined
        ? undefined
        : {
            ...(written.gates as object | undefined),
            ...(coverage === undefined ? {} : { branchCoverage: coverage }),
            ...(mutation === undefined ? {} : { mutationScore: mutation }),
          },
  };
  const merged: Written = { ...written, ...given(fields) };
  parseInput<unknown>(FunctionProblemsInput, merged, 'problems');
  return merged;
}

/** Only models mend: what the built-in authors write is final. */
function withRepairs(attempts: readonly Attempt[] | undefined, repairs: number | undefined) {
  if (attempts === undefined || repairs === undefined) return attempts;
  return attempts.map((each) => (each.author.startsWith('builtin:') ? each : { ...each, repairs }));
}

/** Profiles that a build asks, built-in authors among them. */
function profilesIn({ attempts, refiner }: Written): unknown[] {
  return [...((attempts ?? []) as readonly Attempt[]).map(({ author }) => author), refiner];
}

function labelOf(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^-+/, '') || 'image';
}

function refused(message: string, hint = 'See `pointsman function-problems build --help`.'): PointsmanError {
  return new PointsmanError('InvalidInput', message, hint);
}
