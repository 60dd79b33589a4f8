import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type RepoSetupResult, SwitchyardError } from '../contract';
import { buildEnvironment, type KeptResult, writeEnvironment } from '../environment/folder';
import type { Cli } from './context';
import { readSetup } from './setup-reading';
import { quote } from './temporal-command';

/** `setup export`: what an environment is built from, as a folder that any engine builds. */
export function addSetupExport(setup: Command, cli: Cli): void {
  setup
    .command('export <id>')
    .description('write the Dockerfile, its script and its sources into a folder, and build it if asked')
    .requiredOption('--out <dir>', 'folder, new or empty')
    .option('--build <tag>', 'have the engine build it, with the proxies and certificates of this host')
    .action(async (id: string, { out, build }: { out: string; build?: string }) => {
      const { result } = await readSetup(cli, id);
      const environment = kept(result, id);
      const folder = emptyFolder(out);
      const files = await writeEnvironment(cli.blobs, environment, folder);
      if (build) await buildEnvironment(folder, build, (line) => cli.say(line));
      cli.print({ folder, files, image: build ?? null }, () =>
        [
          folder,
          ...files.map((file) => `  ${file}`),
          build ? `built as ${build}` : `docker build -t NAME ${quote(folder)}`,
        ].join('\n'),
      );
    });
}

function kept(result: RepoSetupResult | undefined, id: string): KeptResult {
  if (result?.dockerfile && result.script) return result as KeptResult;
  throw new SwitchyardError(
    'NotFound',
    `${id} kept no environment`,
    'Only a set-up that has ended verified keeps one; `switchyard setup show` says how it ended.',
  );
}

function emptyFolder(out: string): string {
  const folder = resolve(out);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new SwitchyardError('InvalidInput', `--out ${out}: the folder is not empty`, 'Name a new one.');
  mkdirSync(folder, { recursive: true });
  return folder;
}
