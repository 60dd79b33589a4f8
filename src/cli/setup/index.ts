import type { Command } from 'commander';
import type { Cli } from '../context';
import { addSetupSteering } from '../steer';
import { addSetupCompare } from './compare';
import { addSetupExport } from './export';
import { addSetupList } from './list';
import { addSetupShow } from './show';
import { addSetupStart } from './start';
import { addSetupWatch } from './watch';

export function addSetupCommands(setup: Command, cli: Cli): void {
  addSetupStart(setup, cli);
  addSetupList(setup, cli);
  addSetupShow(setup, cli);
  addSetupWatch(setup, cli);
  addSetupExport(setup, cli);
  addSetupSteering(setup, cli);
  addSetupCompare(setup, cli);
}
