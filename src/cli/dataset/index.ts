import type { Command } from 'commander';
import { type Cli, look } from '../context';
import { datasetTable, listedDataset } from '../terminal/dataset/dataset';
import { addDatasetAudit } from './audit';
import { addDatasetBuild } from './build';
import { addDatasetCheck } from './check';
import { datasetNames, readDataset } from './folder';
import { addDatasetShow } from './show';

export function addDatasetCommands(dataset: Command, cli: Cli): void {
  addDatasetBuild(dataset, cli);
  addDatasetList(dataset, cli);
  addDatasetShow(dataset, cli);
  addDatasetCheck(dataset, cli);
  addDatasetAudit(dataset, cli);
}

/** `dataset list`: the data sets of this home; no server is asked. */
function addDatasetList(dataset: Command, cli: Cli): void {
  dataset
    .command('list')
    .description('list the data sets of this home')
    .action(() => {
      const datasets = datasetNames(cli).map((name) => {
        const { folder, manifest } = readDataset(cli, name);
        return listedDataset(folder, manifest);
      });
      cli.print({ datasets }, () => (datasets.length === 0 ? 'no data sets' : datasetTable(datasets, look())));
    });
}
