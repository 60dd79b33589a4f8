import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { readCampaign } from './campaign-reading';
import type { Cli } from './context';

/** `campaign export`: its rows as JSONL; of one that runs, those of the rollouts that have ended. */
export function addCampaignExport(campaign: Command, cli: Cli): void {
  campaign
    .command('export <id>')
    .description('write the rows of a campaign as JSONL, also of one that runs')
    .option('--out <file>', 'a file instead of standard output')
    .action(async (id: string, { out }: { out?: string }) => {
      const { rows, status } = await readCampaign(cli, id);
      if (status === 'running') cli.say(`${id} runs: ${rows.length} rows so far`);
      const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
      if (out === undefined) return cli.print({ id, rows }, () => text.replace(/\n$/, ''));
      const file = resolve(out);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(`${file}.new`, text);
      renameSync(`${file}.new`, file);
      cli.print({ id, file, rows: rows.length }, () => `${rows.length} rows in ${file}`);
    });
}
