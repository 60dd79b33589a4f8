import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import {
  PointsmanError,
  type ProblemCheckResult,
  ProblemInitInput,
  type ProblemInitResult,
  parseInput,
  type Ref,
  type TestLists,
} from '../../contract';
import type { Cli } from '../context';
import { runToEnd } from '../follow';
import { given, reachable } from '../input-file';
import { wholeOption } from '../options';
import { controlLines } from '../terminal/grading';
import { addProblemDifficulty } from './difficulty';
import { addProblemExport } from './export';
import { readable, writeProblem } from './folder';
import { addProblemGrade } from './grade';
import { addProblemImport } from './import';

interface InitFlags {
  before: string;
  after?: string;
  tests?: string;
  gold?: string;
  statement: string;
  install: string[];
  test: string;
  name?: string;
  base?: string;
  workdir?: string;
  runs?: number;
  timeout?: number;
  licence?: string;
  out: string;
}

interface CheckFlags {
  runs: number;
  outcomes?: boolean;
  update?: boolean;
}

/** `problem init | check | grade | list | import`. */
export function addProblemCommands(problem: Command, cli: Cli): void {
  const collect = (value: string, all: string[]) => [...all, value];

  problem
    .command('init')
    .description('make a problem from two versions of a project, or from one version and patches')
    .requiredOption(
      '--before <source>',
      'pypi:NAME==VERSION, npm:NAME@VERSION, go:MODULE@vVERSION, crate:NAME@VERSION, deb-src:NAME=VERSION, git+URL@REV, dir:PATH or archive:PATH_OR_URL#sha256=HEX',
    )
    .option('--after <source>', 'version that holds the fix and its tests')
    .option('--tests <patch>', 'patch that brings the hidden tests')
    .option('--gold <patch>', 'patch that fixes it (default: what --after changes outside of its tests)')
    .requiredOption('--statement <file>', 'what the agent is told')
    .option('--install <command>', 'shell command that installs it; may be repeated', collect, [])
    .requiredOption('--test <command>', 'shell command that runs the tests')
    .option('--name <name>', 'name of the problem')
    .option('--base <image>', 'base image')
    .option('--workdir <path>', 'work directory in the image')
    .option('--runs <n>', 'runs of the tests on the gold patch', wholeOption)
    .option('--timeout <seconds>', 'seconds for one run of the tests', wholeOption)
    .option('--licence <name>', 'licence of the project')
    .requiredOption('--out <dir>', 'folder that the problem is written to')
    .action((flags: InitFlags) => init(cli, flags));

  problem
    .command('check <problem>')
    .description('run the tests without and with the gold patch: is it fit for training?')
    .option('--runs <n>', 'runs of the tests on the gold patch', wholeOption, 2)
    .option('--outcomes', 'give the outcome of every test in every run')
    .option('--update', 'write the measured lists into the problem')
    .action((source: string, flags: CheckFlags) => check(cli, source, flags));

  addProblemGrade(problem, cli);

  problem
    .command('list')
    .description('list the problems of this home')
    .action(() => {
      const problems = cli.problems.list().map(({ id, image, tests, goldPatch }) => ({
        id,
        image,
        failToPass: tests.failToPass.length,
        passToPass: tests.passToPass.length,
        gold: goldPatch !== undefined,
      }));
      const line = (each: (typeof problems)[number]) =>
        `${each.id}  ${each.failToPass} + ${each.passToPass} tests  ${each.image}`;
      cli.print({ problems }, () => problems.map(line).join('\n') || noProblems(cli));
    });

  addProblemImport(problem, cli);
  addProblemExport(problem, cli);
  addProblemDifficulty(problem, cli);
}

async function init(cli: Cli, flags: InitFlags): Promise<void> {
  const patch = async (file: string | undefined): Promise<Ref | undefined> =>
    file ? cli.blobs.put(textOf(file)) : undefined;
  const input = given({
    id: flags.name,
    before: absolute(flags.before),
    after: flags.after && absolute(flags.after),
    tests: await patch(flags.tests),
    gold: await patch(flags.gold),
    statement: textOf(flags.statement),
    setup: flags.install,
    test: flags.test,
    base: flags.base,
    workdir: flags.workdir,
    runs: flags.runs,
    timeoutSeconds: flags.timeout,
    licence: flags.licence,
  });
  parseInput(ProblemInitInput, input, 'problem init');
  const made = await runToEnd<ProblemInitResult>(cli, 'problemInit', input, {
    id: `problem-init/${flags.name ?? readable(flags.before)}-${randomBytes(4).toString('hex')}`,
    note: `problem from ${flags.before}`,
  });
  const problem = await cli.problems.kept(made.problem);
  const out = writeProblem(resolve(flags.out), problem);
  const { failToPass, passToPass, admitted } = made.check;
  cli.print({ ...(await withLists(cli, made.check)), image: made.image, out }, () =>
    [`${out}: ${failToPass} FAIL_TO_PASS, ${passToPass} PASS_TO_PASS`, ...verdict(made.check)].join('\n'),
  );
  if (!admitted) process.exitCode = 1;
}

async function check(cli: Cli, source: string, flags: CheckFlags): Promise<void> {
  // An id stays an id; a path is made independent of where the worker was started.
  const named = reachable(source);
  const { id } = cli.problems.resolve(named);
  const result = await runToEnd<ProblemCheckResult>(
    cli,
    'problemCheck',
    { problem: named, runs: flags.runs },
    { id: `problem-check/${id}-${randomBytes(4).toString('hex')}`, note: `check ${id}` },
  );
  const outcomes = flags.outcomes ? await outcomesById(cli, result.outcomes) : undefined;
  const listed = await withLists(cli, result);
  cli.print({ ...listed, outcomes }, () => {
    const table = Object.entries(outcomes ?? {}).map(
      ([test, { noop, gold }]) => `${noop.padEnd(8)} ${gold.join(' ').padEnd(18)} ${test}`,
    );
    const flaky = listed.flaky.map(({ test, passed, of }) => `  flaky: ${test} (passed in ${passed} of ${of} runs)`);
    return [...table, ...verdict(result), ...flaky].join('\n');
  });
  if (flags.update && result.admitted) update(cli, named, listed);
  if (!result.admitted) process.exitCode = 1;
}

/** What a script reads: the lists themselves instead of how many they are. */
async function withLists(
  cli: Cli,
  check: ProblemCheckResult,
): Promise<Omit<ProblemCheckResult, keyof TestLists> & TestLists> {
  return { ...check, ...(JSON.parse((await cli.blobs.get(check.lists.sha256)).toString('utf8')) as TestLists) };
}

function update(cli: Cli, source: string, { failToPass, passToPass }: TestLists): void {
  const problem = cli.problems.resolve(source);
  const folder = [source, join(cli.settings.home, 'problems', source)].find((path) =>
    existsSync(join(path, 'problem.json')),
  );
  if (!folder)
    throw new PointsmanError('InvalidInput', `${source} is no problem folder`, 'Only a folder can be updated.');
  const { unsplit: _, ...provenance } = problem.provenance;
  writeProblem(folder, { ...problem, provenance, tests: { ...problem.tests, failToPass, passToPass } });
}

type Runs = { noop: Record<string, string>; gold: Record<string, string>[] };

async function outcomesById(cli: Cli, ref: Ref): Promise<Record<string, { noop: string; gold: string[] }>> {
  const { noop, gold } = JSON.parse((await cli.blobs.get(ref.sha256)).toString('utf8')) as Runs;
  const ids = [...new Set([noop, ...gold].flatMap((run) => Object.keys(run)))].sort();
  return Object.fromEntries(
    ids.map((id) => [id, { noop: noop[id] ?? 'missing', gold: gold.map((run) => run[id] ?? 'missing') }]),
  );
}

function verdict({ id, admitted, oracle, noop, flaky, reasons, controls }: ProblemCheckResult): string[] {
  const head = `${id}: ${admitted ? 'admitted' : 'not admitted'} (oracle ${oracle}, no-op ${noop}, ${flaky} flaky)`;
  return [head, ...reasons.map((reason) => `  ${reason}`), ...(controls ? controlLines(controls) : [])];
}

/** Paths in a source name are the worker's, on this host: they must not depend on where it was started. */
function absolute(source: string): string {
  const found = /^(dir|archive):(?!https?:\/\/)([^#]+)(.*)$/.exec(source);
  return found ? `${found[1]}:${resolve(found[2]!)}${found[3]}` : source;
}

/** A problem elsewhere is named by its folder, which surprises who has just made one. */
function noProblems(cli: Cli): string {
  const here = join(cli.settings.home, 'problems');
  return `no problems in ${here}: make one there with \`pointsman problem init --out ${here}/ID\`; others are named by their folder`;
}

function textOf(file: string): string {
  if (existsSync(file)) return readFileSync(file, 'utf8');
  throw new PointsmanError('InvalidInput', `no file ${resolve(file)}`, 'Give the path of a file that exists.');
}
