import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Given } from '../activities/setup-chain';
import { type Ref, type RepoSetupResult, SwitchyardError } from '../contract';
import { connectEngine } from '../sandbox/engine';
import { SandboxHost } from '../sandbox/host';
import { buildFolder } from '../sandbox/image-build';
import { fetchSource } from '../sources/fetch';
import type { SourceTree } from '../sources/tree';
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
      const folder = emptyFolder(out);
      const files = await writeEnvironment(cli, kept(result, id), folder);
      if (build) await buildFolder(connectEngine(), folder, build, (line) => cli.say(line));
      cli.print({ folder, files, image: build ?? null }, () =>
        [
          folder,
          ...files.map((file) => `  ${file}`),
          build ? `built as ${build}` : `docker build -t NAME ${quote(folder)}`,
        ].join('\n'),
      );
    });
}

type Kept = RepoSetupResult & { readonly dockerfile: Ref; readonly script: Ref };

function kept(result: RepoSetupResult | undefined, id: string): Kept {
  if (result?.dockerfile && result.script) return result as Kept;
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

/** Names of what was written, folders with a slash. Sources are the ones that the run fetched. */
async function writeEnvironment(cli: Cli, result: Kept, folder: string): Promise<string[]> {
  const text = async ({ sha256 }: Ref) => (await cli.blobs.get(sha256)).toString('utf8');
  const { opening } = await cli.setupChains.chain(result.head);
  const given = JSON.parse(await text(opening.given)) as Given;
  const files = {
    Dockerfile: await text(result.dockerfile),
    'install.sh': await text(result.script),
    ...(result.lock ? { 'lock.txt': await text(result.lock) } : {}),
    'services.json': `${JSON.stringify(result.services, null, 2)}\n`,
  };
  for (const [name, body] of Object.entries(files)) writeFileSync(join(folder, name), body);
  const sources = [{ ...given, name: 'source' }, ...given.components];
  for (const { name, source, sha256 } of sources) {
    const deps = { blobs: cli.blobs, host: new SandboxHost(connectEngine(), 'export') };
    const owner = { workflowId: `export/${result.id}`, firstRunId: sha256 };
    const { tree } = await fetchSource(deps, owner, source, sha256, given.base, new AbortController().signal);
    writeTree(tree, join(folder, name));
  }
  return [...Object.keys(files), ...sources.map(({ name }) => `${name}/`)];
}

function writeTree(tree: SourceTree, into: string): void {
  for (const [path, { bytes, executable, link }] of tree) {
    const file = join(into, path);
    mkdirSync(dirname(file), { recursive: true });
    if (link === undefined) writeFileSync(file, bytes, { mode: executable ? 0o755 : 0o644 });
    else symlinkSync(link, file);
  }
}
