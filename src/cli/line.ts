import type { Command } from 'commander';
import type { Cli } from './context';
import { addLineList } from './line-list';
import { addLineShow } from './line-show';
import { addLineStart } from './line-start';
import { addWindowSteering } from './window-steer';

export function addLineCommands(program: Command, cli: Cli): void {
  const line = program
    .command('line')
    .description('the whole line: repositories, problems, rollouts, data set, report');
  addLineStart(line, cli);
  addLineList(line, cli);
  addLineShow(line, cli);
  addWindowSteering(line, cli, {
    units: 'stages',
    kept: 'stages',
    cancelled: 'what its stages had finished is kept, and a line of the same id takes it up',
    show: 'pointsman line show ID',
  });
}
