import type { Command } from 'commander';
import type { Cli } from './context';
import { addDatasetAudit } from './dataset-audit';
import { addDatasetBuild } from './dataset-build';
import { addDatasetCheck } from './dataset-check';
import { addDatasetList } from './dataset-list';
import { addDatasetShow } from './dataset-show';

export function addDatasetCommands(program: Command, cli: Cli): void {
  const dataset = program.command('dataset').description('training files out of graded trajectories');
  addDatasetBuild(dataset, cli);
  addDatasetList(dataset, cli);
  addDatasetShow(dataset, cli);
  addDatasetCheck(dataset, cli);
  addDatasetAudit(dataset, cli);
}
