import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type Author,
  DatasetFormat,
  DatasetInput,
  type DatasetProgress,
  type DatasetResult,
  type Mixture,
  parseInput,
} from '../../contract';
import { summed } from '../../dataset/funnel';
import { quote } from '../../rollout/shell';
import { type Cli, look } from '../context';
import { followed, resultIfAwaited } from '../follow';
import { given, reachable, readInput, type Written } from '../input-file';
import { addInputOption, addStartOptions, dollarsOption, type StartFlags, wholeOption } from '../options';
import { datasetLines, datasetProgressLine } from '../terminal/dataset/dataset';

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
    .option('--extra <name=file>', 'rows from elsewhere, in the universal format; may be repeated', extraOption)
    .option('--train <method=author>', "whose turns are trained (default: the expert's); again for more", trainOption)
    .option('--view <profile>', "format that is trained: that profile's (default: the student's)")
    .option('--per-instance <n>', 'rows of an instance at most, or "none" (default: 3)', capOption)
    .option('--max-tokens <n>', 'longer rows are left out, never cut (default: 32768)', wholeOption)
    .option('--tokenizer <dir>', 'folder of tokenizer.json, or a .gguf file; without it lengths are estimated')
    .addOption(
      new Option(
        '--token-turns <which>',
        'what a row of `tokens` trains, for chat templates that rewrite earlier turns (default: all)',
      ).choices(['all', 'last', 'each']),
    )
    .option('--teacher <profile>', 'whose log-probabilities of the sampled tokens `distill` holds')
    .option('--teacher-cost <usd>', 'cost limit of the teacher in USD', dollarsOption)
    .option('--validation <share>', 'share of instances that validate (default: 0)', shareOption)
    .option('--seed <n>', 'seed: which rows a limit or a mixture takes, and their order', wholeOption)
    .option('--duplicates', 'keep rows with the same trained turns')
    .option('--no-parquet', 'JSONL alone')
    .option('--unresolved', 'keep rollouts whose tests do not pass')
    .option('--unsubmitted', 'keep rollouts that did not submit')
    .addOption(
      new Option('--human <which>', 'rows that train a turn of a person: leave them out, or all others').choices([
        'none',
        'only',
      ]),
    )
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
  const check = file ? [`pointsman dataset check ${quote(`${result.folder}/${file.path}`)}`] : [];
  cli.print(result, () =>
    [
      ...datasetLines(result, summed(result.funnels.map(({ funnel }) => funnel)), look()),
      '',
      result.folder,
      ...(cli.stores.shared ? [] : [`card  ${result.folder}/README.md`]),
      `pointsman dataset show ${quote(name)}`,
      ...(cli.stores.shared ? [`pointsman dataset fetch ${quote(name)}`] : check),
    ].join('\n'),
  );
}

/** Flags that stand over what the input file says. */
interface DatasetFlags {
  readonly name?: string;
  readonly campaign?: readonly string[];
  readonly rollouts?: readonly string[];
  readonly run?: readonly string[];
  readonly format?: readonly string[];
  readonly mixture?: Mixture;
  readonly extra?: readonly { name: string; path: string }[];
  readonly train?: Readonly<Record<string, readonly Author[]>>;
  readonly view?: string;
  readonly perInstance?: number | null;
  readonly maxTokens?: number;
  readonly tokenizer?: string;
  readonly tokenTurns?: DatasetInput['tokenTurns'];
  readonly teacher?: string;
  readonly teacherCost?: number;
  readonly validation?: number;
  readonly seed?: number;
  readonly duplicates?: boolean;
  readonly parquet?: boolean;
  readonly unresolved?: boolean;
  readonly unsubmitted?: boolean;
  readonly human?: string;
  readonly identical?: number;
  readonly reads?: number;
}

/** File and flags put together and checked, defaults left to the workflow. Throws `InvalidInput` that names each field. */
function datasetInput(written: Written, flags: DatasetFlags): Written {
  const { campaign, rollouts, run, format, extra, train, tokenizer, duplicates, parquet, ...rest } = flags;
  const { unresolved, unsubmitted, human, identical, reads, teacher, teacherCost, ...fields } = rest;
  const merged: Written = { ...written, ...given({ ...fields, formats: format, extra, tokenizer }) };
  const sources = [
    ...(campaign ?? []).map((id) => ({ campaign: id })),
    ...(rollouts ?? []).map((path) => ({ rollouts: path })),
    ...(run ? [{ runs: run }] : []),
  ];
  if (sources.length > 0) merged.sources = sources;
  const asked = given({ profile: teacher, costUsd: teacherCost });
  if (Object.keys(asked).length > 0) merged.teacher = { ...(merged.teacher as object | undefined), ...asked };
  if (duplicates) merged.deduplicate = false;
  if (parquet === false) merged.parquet = false;
  if (train) merged.train = { ...(merged.train as object | undefined), ...train };
  const filters = given({
    ...(unresolved ? { resolved: false } : {}),
    ...(unsubmitted ? { submitted: false } : {}),
    human,
    identicalActions: identical,
    fileReads: reads,
  });
  if (Object.keys(filters).length > 0) merged.filters = { ...(merged.filters as object | undefined), ...filters };
  merged.name ??= nameAfter(campaign);
  const checked = parseInput(DatasetInput, merged, 'dataset');
  // The worker runs in another folder, so paths are handed to it in full.
  if (checked.tokenizer) merged.tokenizer = reachable(checked.tokenizer);
  if (checked.extra.length > 0) merged.extra = checked.extra.map((each) => ({ ...each, path: reachable(each.path) }));
  merged.sources = checked.sources.map((source) =>
    'rollouts' in source && typeof source.rollouts === 'string' ? { rollouts: reachable(source.rollouts) } : source,
  );
  return merged;
}

/** The last part of a single campaign's id, as far as a folder can be named after it. */
function nameAfter(campaigns: readonly string[] | undefined): string | undefined {
  const [id, ...others] = campaigns ?? [];
  if (id === undefined || others.length > 0) return undefined;
  const name = id
    .split('/')
    .at(-1)!
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '');
  return name === '' ? undefined : name.slice(0, 80);
}

/** `oec:bc=1:1` is a ratio, `oec=961,bc=2000` are counts. */
function mixtureOption(text: string): Mixture {
  const [names = '', shares = ''] = text.split('=');
  if (!text.includes(',') && names.includes(':')) {
    const [each, values] = [names.split(':'), shares.split(':').map(Number)];
    if (each.length === values.length && values.every((value) => value > 0) && each.every((name) => name !== '')) {
      return { ratio: Object.fromEntries(each.map((name, i) => [name, values[i]!])) };
    }
  } else {
    const counts = text.split(',').map((part) => /^([^=]+)=(\d+)$/.exec(part.trim()));
    if (counts.every((found) => found !== null)) {
      return { counts: Object.fromEntries(counts.map((found) => [found![1]!, Number(found![2])])) };
    }
  }
  throw new InvalidArgumentError('expected a ratio, like oec:bc=1:1, or counts, like oec=961,bc=2000.');
}

/** `NAME=FILE`; may be given again. */
function extraOption(text: string, before: readonly { name: string; path: string }[] = []) {
  const [, name, path] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || path === undefined) throw new InvalidArgumentError('expected NAME=FILE.jsonl.');
  return [...before, { name, path }];
}

/** `METHOD=student`, `METHOD=student,expert`; may be given again. */
function trainOption(text: string, before: Readonly<Record<string, readonly Author[]>> = {}) {
  const [, method, authors] = /^([^=]+)=((?:student|expert)(?:,(?:student|expert))*)$/.exec(text) ?? [];
  if (method === undefined || authors === undefined) {
    throw new InvalidArgumentError('expected METHOD=student, METHOD=expert or METHOD=student,expert.');
  }
  return { ...before, [method]: authors.split(',') as Author[] };
}

/** A number from 1, or `none`. */
function capOption(text: string): number | null {
  if (text === 'none') return null;
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('expected a whole number from 1, or "none".');
  return Number(text);
}

function shareOption(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 0.5))
    throw new InvalidArgumentError('expected a share, like 0.05.');
  return value;
}
