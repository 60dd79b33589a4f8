import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { DatasetManifest } from '../../contract';
import { summed } from '../../dataset/funnel';
import { quote } from '../../rollout/shell';
import { type Cli, look } from '../context';
import { datasetLines } from '../terminal/dataset/dataset';
import { safeLines } from '../terminal/safe-text';
import { readDataset } from './folder';

interface ShowFlags {
  readonly card?: boolean;
  readonly verify?: boolean;
}

/** `dataset show`: what is in it and what is not, or its card; with `--verify` whether its files are as they were written. */
export function addDatasetShow(dataset: Command, cli: Cli): void {
  dataset
    .command('show <name>')
    .description('print what a data set holds, or its card')
    .option('--card', 'the card alone, as Markdown')
    .option('--verify', 'hash every file and compare it with the manifest')
    .action(async (named: string, { card, verify }: ShowFlags) => {
      const { manifest, place, folder } = await readDataset(cli, named);
      if (card) {
        const text = await readFile(join(await folder(), 'README.md'), 'utf8');
        return cli.print({ card: text }, () => (process.stdout.isTTY ? safeLines(text).join('\n') : text.trimEnd()));
      }
      const changed = verify ? await changedFiles(await folder(), manifest) : undefined;
      cli.print({ folder: place, ...manifest, changed }, () =>
        [
          manifest.name,
          ...datasetLines(manifest.result, summed(manifest.result.funnels.map(({ funnel }) => funnel)), look()),
          ...(changed
            ? ['', changed.length === 0 ? 'every file is as it was written' : `changed: ${changed.join(', ')}`]
            : []),
          '',
          place,
          `pointsman dataset show ${quote(manifest.name)} --card`,
        ].join('\n'),
      );
      if (changed && changed.length > 0) process.exitCode = 1;
    });
}

/** Files that are gone or hold other bytes than the manifest says. */
async function changedFiles(folder: string, manifest: DatasetManifest): Promise<string[]> {
  const changed: string[] = [];
  for (const { path, sha256 } of manifest.files) {
    if (path.endsWith('/')) continue;
    const file = join(folder, path);
    if (!existsSync(file) || (await fileDigest(file)) !== sha256) changed.push(path);
  }
  return changed;
}

export async function fileDigest(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
