import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { allowedBy } from '../../config';
import { PointsmanError, RepoSetupInput, type RepoSetupResult } from '../../contract';
import { buildEnvironment, type KeptResult, writeEnvironment } from '../../environments/environment-folder';
import { assertTestable, type TestsAgain, testEnvironment } from '../../environments/verified-tests';
import { quote } from '../../rollout/shell';
import { countsLine } from '../../setup/counts-line';
import { inputOf } from '../../store/history';
import type { Cli } from '../context';
import { readSetup } from './reading';

interface Flags {
  readonly out: string;
  readonly build?: string;
  readonly runTests?: boolean;
}

/** What an export wrote, built and saw. */
export interface Exported {
  readonly folder: string;
  readonly files: readonly string[];
  /** Tag of what was built. */
  readonly image: string | null;
  /** How the verified tests ended there. */
  readonly tests: TestsAgain | null;
}

/** Where tests that came to other numbers leave the command, as a set-up without a good verdict does. */
const DIFFERENT = 3;

/** `setup export`: what an environment is built from, as a folder that any engine builds. */
export function addSetupExport(setup: Command, cli: Cli): void {
  setup
    .command('export <id>')
    .description('write the Dockerfile, its script and its sources into a folder, and build it if asked')
    .requiredOption('--out <dir>', 'folder, new or empty')
    .option('--build <tag>', 'build it, with the proxies and certificates of this host')
    .option('--run-tests', 'run the verified tests in what was built, without a network')
    .action(async (id: string, flags: Flags) => {
      if (flags.runTests && !flags.build)
        throw new PointsmanError('InvalidInput', '--run-tests: nothing is built', 'Name what to build: --build TAG.');
      const exported = await exportSetup(cli, id, flags, (line) => cli.say(line));
      cli.print(exported, () => exportedText(exported));
      if (exported.tests?.same === false) process.exitCode = DIFFERENT;
    });
}

/** Writes the folder of a set-up that kept an environment; then builds and tests it as asked. `report` hears of each step. */
export async function exportSetup(
  cli: Cli,
  id: string,
  { out, build, runTests }: Flags,
  report: (line: string) => void,
): Promise<Exported> {
  const environment = kept((await readSetup(cli, id)).result, id);
  if (runTests) assertTestable(environment);
  const folder = emptyFolder(out);
  const allowed = allowedBy(cli.settings.config);
  const files = await writeEnvironment(cli.blobs, environment, folder, allowed);
  if (!build) return { folder, files, image: null, tests: null };
  await buildEnvironment(folder, build, report, allowed);
  if (!runTests) return { folder, files, image: build, tests: null };
  const input = RepoSetupInput.parse(await inputOf((await cli.client()).workflow.getHandle(id)));
  report('the verified tests, without a network');
  return { folder, files, image: build, tests: await testEnvironment(cli.blobs, environment, build, input) };
}

function exportedText({ folder, files, image, tests }: Exported): string {
  return [
    folder,
    ...files.map((file) => `  ${file}`),
    image ? `built as ${image}` : `docker build -t NAME ${quote(folder)}`,
    ...(tests ? [`tests there: ${testsText(tests)}`] : []),
  ].join('\n');
}

/** How the tests of what was built stand beside those that were verified. */
export function testsText({ same, counts, detail }: TestsAgain): string {
  if (same) return `${counts ? countsLine(counts) : 'the smoke test passes'}, as verified`;
  return `${counts ? `${countsLine(counts)}; ` : ''}not as verified: ${detail}`;
}

function kept(result: RepoSetupResult | undefined, id: string): KeptResult {
  if (result?.dockerfile && result.script) return result as KeptResult;
  throw new PointsmanError(
    'NotFound',
    `${id} has no environment`,
    'Only a set-up that has ended verified keeps one; `pointsman setup show` says how it ended.',
  );
}

function emptyFolder(out: string): string {
  const folder = resolve(out);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new PointsmanError('InvalidInput', `--out ${out}: the folder is not empty`, 'Name a new one.');
  mkdirSync(folder, { recursive: true });
  return folder;
}
