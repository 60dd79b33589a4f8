import type { Command } from 'commander';
import { datasetTable, listedDataset } from '../view/dataset/dataset';
import type { Cli } from './context';
import { datasetNames, readDataset } from './dataset-folder';
import { look } from './terminal';

/** `dataset list`: the data sets of this home; no server is asked. */
export function addDatasetList(dataset: Command, cli: Cli): void {
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
