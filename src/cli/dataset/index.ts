import type { Command } from 'commander';
import { type Cli, look } from '../context';
import { addResultFetch } from '../fetch';
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
  addResultFetch(dataset, cli, 'datasets', async (named) => (await readDataset(cli, named)).manifest.name);
}

/** `dataset list`: the data sets of this home; no server is asked. */
function addDatasetList(dataset: Command, cli: Cli): void {
  dataset
    .command('list')
    .description('list the data sets of this home, or of the store that it shares')
    .action(async () => {
      const names = await datasetNames(cli);
      const found = await Promise.all(names.map((name) => readDataset(cli, name)));
      const datasets = found.map(({ place, manifest }) => listedDataset(place, manifest));
      cli.print({ datasets }, () => (datasets.length === 0 ? 'no data sets' : datasetTable(datasets, look())));
    });
}
