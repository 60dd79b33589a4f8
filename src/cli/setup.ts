import type { Command } from 'commander';
import type { Cli } from './context';
import { addSetupCompare } from './setup-compare';
import { addSetupExport } from './setup-export';
import { addSetupList } from './setup-list';
import { addSetupShow } from './setup-show';
import { addSetupStart } from './setup-start';
import { addSetupWatch } from './setup-watch';

export function addSetupCommands(program: Command, cli: Cli): void {
  const setup = program.command('setup').description('repositories made to work: start, follow, read, compare');
  addSetupStart(setup, cli);
  addSetupList(setup, cli);
  addSetupShow(setup, cli);
  addSetupWatch(setup, cli);
  addSetupExport(setup, cli);
  addSetupCompare(setup, cli);
}
