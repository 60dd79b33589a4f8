import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { PointsmanError, type Problem, type ProblemControls } from '../../contract';
import { imageOf } from '../../environments/problem-environment';
import { count } from '../../pages/figures';
import { harborTask, taskName } from '../../problems/harbor/task';
import type { Cli } from '../context';
import { runToEnd } from '../follow';

interface ExportFlags {
  readonly format: 'harbor';
  readonly out: string;
  readonly org: string;
  readonly nodeImage: string;
  readonly verifierNetwork: 'none' | 'public';
}

/** The judge's program and the files beside it, as `bin/build.cjs` makes them. */
const PROGRAM = join(__dirname, '..', '..', 'judge', 'program');

/** `problem export`: problems in the layout that other systems read, with our judge as their verifier. */
export function addProblemExport(problem: Command, cli: Cli): void {
  problem
    .command('export <problem...>')
    .description('write problems as tasks of Harbor, with our judge and its wrong expectations as their verifier')
    .addOption(new Option('--format <format>', 'layout of the tasks').choices(['harbor']).default('harbor'))
    .requiredOption('--out <dir>', 'folder; each task gets a folder in it')
    .option('--org <name>', 'first part of the tasks’ names', 'pointsman')
    .option('--node-image <image>', 'image that the judge’s Node.js is copied from', 'node:22-bookworm-slim')
    .addOption(
      new Option('--verifier-network <which>', 'network of the verifier’s container')
        .choices(['none', 'public'])
        .default('none'),
    )
    .action((sources: string[], flags: ExportFlags) => exportProblems(cli, sources, flags));
}

async function exportProblems(cli: Cli, sources: readonly string[], flags: ExportFlags): Promise<void> {
  const out = resolve(flags.out);
  const problems = sources.map((source) => cli.problems.resolve(source));
  const folders = new Map<string, string>();
  for (const { id } of problems) {
    const before = folders.get(taskName(id));
    if (before !== undefined)
      throw new PointsmanError(
        'InvalidInput',
        `${id} and ${before} would be one task, ${taskName(id)}`,
        'Export them into two folders.',
      );
    folders.set(taskName(id), id);
  }
  const tasks: { id: string; folder: string; controls: number; of: number }[] = [];
  for (const given of problems) {
    cli.say(`▸ ${given.id}`);
    const problem = await withBodies(cli, given);
    const controls = await controlsOf(cli, problem);
    const kept = controls.tests > 0 ? (await cli.blobs.get(controls.kept.sha256)).toString('utf8') : undefined;
    const files = harborTask(problem, kept, {
      image: imageOf(problem),
      node: flags.nodeImage,
      org: flags.org,
      network: flags.verifierNetwork,
    });
    const folder = join(out, taskName(problem.id));
    writeTask(folder, files);
    tasks.push({ id: problem.id, folder, controls: controls.tests, of: controls.of });
  }
  cli.print({ out, tasks }, () =>
    [
      `${count(tasks.length, 'task')} in ${out}`,
      ...tasks.map(({ id, controls, of }) => `  ${id}: ${controls} of ${of} tests with a control`),
      `run one: harbor run -p ${tasks[0]?.folder} -a oracle`,
    ].join('\n'),
  );
}

/** What another machine needs: bodies of test files in place of names of blobs. */
async function withBodies(cli: Cli, problem: Problem): Promise<Problem> {
  const files = await Promise.all(
    problem.tests.files.map(async (file) => {
      const { content } = file;
      if (content === null || typeof content === 'string' || 'base64' in content) return file;
      const bytes = await cli.blobs.get(content.sha256);
      const text = bytes.toString('utf8');
      return { ...file, content: Buffer.from(text).equals(bytes) ? text : { base64: bytes.toString('base64') } };
    }),
  );
  return { ...problem, tests: { ...problem.tests, files } };
}

/** Made where nobody made them yet; the problem's image is on this host afterwards. */
async function controlsOf(cli: Cli, problem: Problem): Promise<ProblemControls> {
  const kept = await cli.problems.keep(problem);
  const known = await cli.problems.keptControls(kept);
  if (known) return known;
  return runToEnd<ProblemControls>(
    cli,
    'problemControls',
    { problem: kept },
    { id: `controls/${kept.sha256.slice(0, 24)}`, note: `wrong expectations for the tests of ${problem.id}` },
  );
}

function writeTask(folder: string, files: ReadonlyMap<string, string>): void {
  if (existsSync(folder) && !existsSync(join(folder, 'task.toml')))
    throw new PointsmanError('InvalidInput', `${folder} is there, and is no task`, 'Choose another --out.');
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: path.endsWith('.sh') ? 0o755 : 0o644 });
  }
  cpSync(PROGRAM, join(folder, 'tests'), { recursive: true });
}
