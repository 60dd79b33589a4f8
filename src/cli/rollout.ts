import type { Command } from 'commander';
import type { Cli } from './context';
import { addFork } from './rollout-fork';
import { addList } from './rollout-list';
import { addShow } from './rollout-show';
import { addStart } from './rollout-start';
import { addSteering } from './rollout-steer';
import { addWatch } from './rollout-watch';

export function addRolloutCommands(program: Command, cli: Cli): void {
  const rollout = program.command('rollout').description('trajectories: start, follow, read, steer');
  addStart(rollout, cli);
  addList(rollout, cli);
  addShow(rollout, cli);
  addWatch(rollout, cli);
  addFork(rollout, cli);
  addSteering(rollout, cli);
}
