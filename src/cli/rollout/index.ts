import type { Command } from 'commander';
import type { Cli } from '../context';
import { addSteering } from '../steer';
import { addAttach } from './attach';
import { addExport, addImport } from './harbor';
import { addList } from './list';
import { addRegrade } from './regrade';
import { addReview } from './review';
import { addShow } from './show';
import { addFork, addStart } from './start';
import { addWatch } from './watch';

export function addRolloutCommands(rollout: Command, cli: Cli): void {
  addStart(rollout, cli);
  addList(rollout, cli);
  addShow(rollout, cli);
  addWatch(rollout, cli);
  addAttach(rollout, cli);
  addFork(rollout, cli);
  addRegrade(rollout, cli);
  addReview(rollout, cli);
  addExport(rollout, cli);
  addImport(rollout, cli);
  addSteering(rollout, cli);
}
