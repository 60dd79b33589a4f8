import { resolve } from 'node:path';
import type { Command } from 'commander';
import { entryName } from '../store/entry-name';
import type { ResultRoom } from '../store/result-folders';
import type { Cli } from './context';

/** `… fetch NAME`: the folder of a result, from the home or from the store that hosts share, put where one wants it. */
export function addResultFetch(
  noun: Command,
  cli: Cli,
  room: ResultRoom,
  nameOf: (named: string) => Promise<string>,
): void {
  noun
    .command('fetch <name|id>')
    .description('put its folder here, from this home or the store that it shares')
    .option('--to <folder>', 'a folder that is not there yet (default: its name, here)')
    .action(async (named: string, { to }: { to?: string }) => {
      const name = await nameOf(named);
      const folder = resolve(to ?? entryName(name));
      await cli.stores.results.copy(room, name, folder);
      cli.print({ name, folder }, () => folder);
    });
}
