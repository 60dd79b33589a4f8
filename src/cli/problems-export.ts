import type { Command } from 'commander';
import { quote } from '../agent/shell';
import { PointsmanError } from '../contract';
import type { Cli } from './context';
import { printBuildAnswer } from './problems-answer';
import { readBuild } from './problems-reading';

/** `problems export`: the files of a build that has ended. */
export function addProblemsExport(problems: Command, cli: Cli): void {
  problems
    .command('export <id>')
    .description('write the problems of a build that has ended into a folder')
    .requiredOption('--out <dir>', 'folder')
    .action(async (id: string, { out }: { out: string }) => {
      const { result, status, trouble } = await readBuild(cli, id);
      if (!result)
        throw new PointsmanError(
          'NotFound',
          `${id} has no problems: it is ${status}${trouble ? ` (${trouble})` : ''}`,
          status === 'running' ? `\`pointsman problems watch ${quote(id)} --out ${quote(out)}\` waits for it.` : '',
        );
      await printBuildAnswer(cli, result, out);
    });
}
