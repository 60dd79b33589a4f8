import type { Command } from 'commander';
import { quote } from '../agent/shell';
import { DatasetFormat, type DatasetProgress, type DatasetResult } from '../contract';
import { summed } from '../dataset/funnel';
import { datasetLines, datasetProgressLine } from '../view/dataset/dataset';
import type { Cli } from './context';
import {
  capOption,
  type DatasetFlags,
  datasetInput,
  extraOption,
  mixtureOption,
  shareOption,
  trainOption,
} from './dataset-input';
import { followed, resultIfAwaited } from './follow';
import { readInput } from './input-file';
import { wholeOption } from './options';
import { addInputOption, addStartOptions, type StartFlags } from './start-options';
import { look } from './terminal';

type BuildFlags = DatasetFlags & StartFlags;

/** Exit code of `--wait` for a data set without a row. */
const EMPTY = 3;

/** `dataset build`: filters, masks, caps and mixtures over trajectories, and the files of every format. */
export function addDatasetBuild(dataset: Command, cli: Cli): void {
  const command = dataset.command('build').description('make training files out of rollouts that have ended');
  addInputOption(command)
    .option('--name <name>', 'folder under datasets (default: after the campaign)')
    .option('--campaign <id...>', 'campaigns that have ended')
    .option('--rollouts <file...>', 'files of rollouts, as campaigns export them')
    .option('--run <id...>', 'single rollouts')
    .option('--format <name...>', `${DatasetFormat.options.join(', ')}`)
    .option('--mixture <parts>', 'oec:bc=1:1 for shares, oec=961,bc=2000 for rows', mixtureOption)
    .option('--extra <name=file>', 'rows from elsewhere, in the universal format; again for more', extraOption)
    .option('--train <method=author>', "whose turns are trained (default: the expert's); again for more", trainOption)
    .option('--view <profile>', "format that is trained: that profile's (default: the student's)")
    .option('--per-instance <n>', 'rows of an instance at most, or "none" (default: 3)', capOption)
    .option('--max-tokens <n>', 'longer rows are left out, never cut (default: 32768)', wholeOption)
    .option('--tokenizer <dir>', 'folder of tokenizer.json; without it lengths are estimated')
    .option('--validation <share>', 'share of instances that validate (default: 0)', shareOption)
    .option('--seed <n>', 'which rows a cap or a mixture takes, and their order', wholeOption)
    .option('--duplicates', 'keep rows with the same trained turns')
    .option('--no-parquet', 'JSONL alone')
    .option('--unresolved', 'keep rollouts whose tests do not pass')
    .option('--unsubmitted', 'keep rollouts that did not submit')
    .option('--identical <n>', 'identical actions in a row that drop one, 0 for never (default: 3)', wholeOption)
    .option('--reads <n>', 'file reads in a row that drop one, 0 for never (default: 20)', wholeOption);
  addStartOptions(command, 'workflow id (default: dataset/NAME); one that runs already is joined')
    .addHelpText('after', '\nExit code of --wait and --watch: 0 with rows, 3 without one, 1 an error.')
    .action(async ({ input: file, id, wait, watch, ...flags }: BuildFlags) => {
      const input = datasetInput(file ? readInput(file) : {}, flags);
      const name = String(input.name);
      const handle = await cli.start('dataset', input, { id: id ?? `dataset/${name}`, note: `data set ${name}` });
      const follow = `pointsman dataset show ${quote(name)}`;
      const result = await resultIfAwaited(cli, handle, {
        wait,
        watch,
        follow,
        later: 'once it has ended',
        watched: () => followed<DatasetProgress, DatasetResult>(cli, handle, { follow, line: datasetProgressLine }),
      });
      if (!result) return;
      printDatasetAnswer(cli, name, result);
      if (result.rows === 0) process.exitCode = EMPTY;
    });
}

function printDatasetAnswer(cli: Cli, name: string, result: DatasetResult): void {
  const file = result.files.find(({ path }) => path.endsWith('.jsonl'));
  cli.print(result, () =>
    [
      ...datasetLines(result, summed(result.funnels.map(({ funnel }) => funnel)), look()),
      '',
      result.folder,
      `card  ${result.folder}/README.md`,
      `pointsman dataset show ${quote(name)}`,
      ...(file ? [`pointsman dataset check ${quote(`${result.folder}/${file.path}`)}`] : []),
    ].join('\n'),
  );
}
