import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { PointsmanError, type Problem, type ProblemControls, type TestFile } from '../../contract';
import { pushBuilt } from '../../machine/push';
import { harborTask, type TaskChoice } from '../../problems/harbor/task';
import type { Cli } from '../context';
import { runToEnd } from '../follow';
import { rememberWorkspace } from './workspaces';

/** Options of every command that writes tasks. */
export interface TaskFlags {
  readonly out: string;
  readonly org: string;
  readonly nodeImage: string;
  readonly verifierNetwork: 'none' | 'public';
  readonly pushImage?: string;
}

/** The judge's program and the files beside it, as `bin/build.cjs` makes them. */
const PROGRAM = join(__dirname, '..', '..', 'judge', 'program');

export function withTaskFlags(command: Command): Command {
  return command
    .addOption(new Option('--format <format>', 'layout of the tasks').choices(['harbor']).default('harbor'))
    .requiredOption('--out <dir>', 'folder; each task gets a folder in it')
    .option('--org <name>', 'first part of the tasks’ names', 'pointsman')
    .option('--node-image <image>', 'image that the judge’s Node.js is copied from', 'node:22-bookworm-slim')
    .addOption(
      new Option('--verifier-network <which>', 'network of the verifier’s container')
        .choices(['none', 'public'])
        .default('none'),
    )
    .option(
      '--push-image <place>',
      'build and push both images of each task, like HOST/OWNER, for readers that build nothing',
    );
}

export interface WrittenTask {
  readonly folder: string;
  /** Tests with a wrong expectation, of those that decide. */
  readonly controls: number;
  readonly of: number;
  /** Where both images are, if they were pushed. */
  readonly pushed?: NonNullable<TaskChoice['pushed']>;
}

/** Writes a problem as a task, with wrong expectations for its tests: made first where nobody made them yet. */
export async function writeTask(
  cli: Cli,
  given: Problem,
  name: string,
  flags: TaskFlags,
  more: Pick<TaskChoice, 'workspace' | 'base' | 'prior'> = {},
): Promise<WrittenTask> {
  if (given.tests.at !== undefined)
    throw new PointsmanError(
      'InvalidInput',
      `${given.id} is judged in the sandbox that an agent leaves, as the system that it came from does it`,
      'Take the task that it was imported from.',
    );
  const problem = await withBodies(cli, given);
  const controls = await controlsOf(cli, problem);
  const kept = controls.tests > 0 ? (await cli.blobs.get(controls.kept.sha256)).toString('utf8') : undefined;
  // What can make such an image knows Python; to write a task is one command of many.
  const { imageOf } = await import('../../environments/problem-environment.js');
  const { nodeImage: node, org, verifierNetwork: network } = flags;
  const choice: TaskChoice = { image: imageOf(problem), node, org, name, network, ...more };
  const folder = join(flags.out, name);
  writeFiles(folder, harborTask(problem, kept, choice));
  if (more.workspace !== undefined) rememberWorkspace(more.workspace, resolve(folder));
  const written = { folder, controls: controls.tests, of: controls.of };
  if (flags.pushImage === undefined) return written;
  const pushed = await pushImages(cli, folder, name, flags.pushImage);
  writeFileSync(join(folder, 'task.toml'), harborTask(problem, kept, { ...choice, pushed }).get('task.toml')!);
  return { ...written, pushed };
}

/** Both images of a task in a registry, named by what they are made of. */
async function pushImages(
  cli: Cli,
  folder: string,
  name: string,
  place: string,
): Promise<NonNullable<TaskChoice['pushed']>> {
  const push = async (part: string) => {
    const repository = `${place.replace(/(?<!\/)\/+$/, '')}/${imageName(name)}-${part === 'tests' ? 'verifier' : part}`;
    cli.say(`  building and pushing ${repository}`);
    return pushBuilt(join(folder, part), repository);
  };
  return { environment: await push('environment'), verifier: await push('tests') };
}

/** Part of an image's name, of what registries take in one. */
const imageName = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** What another machine needs: bodies of files in place of names of blobs, wherever a problem has any. */
async function withBodies(cli: Cli, problem: Problem): Promise<Problem> {
  const inPlace = (files: readonly TestFile[]) =>
    Promise.all(
      files.map(async (file) => {
        const { content } = file;
        if (content === null || typeof content === 'string' || 'base64' in content) return file;
        const bytes = await cli.blobs.get(content.sha256);
        const text = bytes.toString('utf8');
        return { ...file, content: Buffer.from(text).equals(bytes) ? text : { base64: bytes.toString('base64') } };
      }),
    );
  const { tests, build, solution, preparation } = problem;
  return {
    ...problem,
    tests: { ...tests, files: await inPlace(tests.files) },
    ...(build ? { build: { files: await inPlace(build.files) } } : {}),
    ...(solution ? { solution: { ...solution, files: await inPlace(solution.files) } } : {}),
    ...(preparation ? { preparation: { ...preparation, files: await inPlace(preparation.files) } } : {}),
  };
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

function writeFiles(folder: string, files: ReadonlyMap<string, string>): void {
  if (existsSync(folder) && !existsSync(join(folder, 'task.toml')))
    throw new PointsmanError('InvalidInput', `${folder} is there, and is no task`, 'Choose another --out.');
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: path.endsWith('.sh') ? 0o755 : 0o644 });
  }
  cpSync(PROGRAM, join(folder, 'tests'), { recursive: true });
  for (const [from, to] of packages()) cpSync(from, join(folder, 'tests', 'node_modules', to), { recursive: true });
}

/** What the program reads of packages: the parser of Rust, which is WebAssembly. */
function packages(): [from: string, to: string][] {
  const parser = 'web-tree-sitter';
  const folder = dirname(require.resolve(parser));
  const files = ['package.json', 'web-tree-sitter.cjs', 'web-tree-sitter.wasm'];
  const rust = 'tree-sitter-rust/tree-sitter-rust.wasm';
  return [
    ...files.map((file): [string, string] => [join(folder, file), join(parser, file)]),
    [require.resolve(rust), rust],
  ];
}
