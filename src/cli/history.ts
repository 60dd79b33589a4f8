import { execFile } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Command } from 'commander';
import { PointsmanError } from '../contract';
import { temporalBinary } from '../machine/temporal';
import { count } from '../pages/figures';
import { entryName } from '../store/entry-name';
import type { Cli } from './context';

interface Flags {
  readonly query: string;
  readonly out: string;
}

/** `history export`: histories of runs that have ended, before the server forgets them. */
export function addHistoryCommands(history: Command, cli: Cli): void {
  history
    .command('export')
    .description('write the histories of ended runs into a folder, except those that are already there')
    .requiredOption('--out <dir>', 'folder')
    .option('--query <query>', "which, as `temporal workflow list --query` takes it, like WorkflowType = 'rollout'", '')
    .addHelpText('after', '\nRun it from time to time, more often than the server forgets (its retention).')
    .action(async ({ query, out }: Flags) => {
      const client = await cli.client();
      const folder = resolve(out);
      mkdirSync(folder, { recursive: true });
      const there = new Set(await readdir(folder));
      let [exported, passed] = [0, 0];
      const ended = ["ExecutionStatus != 'Running'", ...(query === '' ? [] : [`(${query})`])].join(' AND ');
      for await (const { workflowId, runId } of client.workflow.list({ query: ended })) {
        const name = `${entryName(workflowId)}.${runId}.json.gz`;
        if (there.has(name)) {
          passed += 1;
          continue;
        }
        const file = join(folder, name);
        writeFileSync(`${file}.new`, gzipSync(await historyOf(workflowId, runId)));
        renameSync(`${file}.new`, file);
        exported += 1;
        if (exported % 100 === 0) cli.say(`· ${exported} written`);
      }
      cli.print({ folder, exported, passed }, () =>
        [`${count(exported, 'history', 'histories')} written, ${passed} there already`, folder].join('\n'),
      );
    });
}

/** As Temporal's own tool writes it: the SDKs replay that, and the UI shows it. It reads the same settings as we do. */
async function historyOf(workflowId: string, runId: string): Promise<string> {
  const binary = temporalBinary();
  if (!binary)
    throw new PointsmanError(
      'Unavailable',
      'the Temporal CLI is not installed, and histories are exported by it',
      '`pointsman doctor` says how to get it.',
    );
  const show = ['workflow', 'show', '--workflow-id', workflowId, '--run-id', runId, '--output', 'json'];
  const { stdout } = await promisify(execFile)(binary, show, { maxBuffer: 1024 ** 3 });
  return stdout;
}
