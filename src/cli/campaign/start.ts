import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CampaignInput, type HandOverPolicy, PointsmanError, parseInput } from '../../contract';
import type { Cli } from '../context';
import { resultIfAwaited, watchCommand } from '../follow';
import { given, reachable, readInput, type Written } from '../input-file';
import {
  addInputOption,
  addStartOptions,
  dollarsOption,
  handOverOption,
  type StartFlags,
  wholeOption,
} from '../options';
import { estimateCampaign, estimateLines } from './estimate';
import { printCampaignAnswer } from './reading';
import { followCampaign } from './watch';

/** Exit code of `--wait` for a campaign that skipped rollouts at its end. */
const NOT_COMPLETE = 3;

/** `campaign start`: instances × methods × passes of rollouts. */
export function addCampaignStart(campaign: Command, cli: Cli): void {
  const command = campaign
    .command('start')
    .description('start rollouts of many problems, or continue the campaign of that id');
  addInputOption(command)
    .option('--problems <path>', 'JSONL file or folder of problems')
    .option('--only <id...>', 'only these instances')
    .option('--methods <name...>', `some of ${PRESET_NAMES.join(', ')}`, presets)
    .option('--student <profile>', 'model profile of the student')
    .option('--expert <profile>', 'model profile of the expert')
    .option('--hand-over <k|a..b>', 'student turns before the expert, for oec (default: 0..30)', handOverOption)
    .option(
      '--teachers <campaign>',
      'ended campaign whose solved trajectories the student goes on behind (teacher-prefix)',
    )
    .option('--passes <n>', 'passes over all instances', wholeOption)
    .addOption(new Option('--order <order>', 'order of the rollouts').choices(['passes', 'instances', 'shuffled']))
    .option(
      '--resolved-per-instance <n>',
      'skip further passes over instances that a method resolved this often',
      wholeOption,
    )
    .option('--concurrency <n>', 'rollouts in flight at once (default: 4)', wholeOption)
    .option('--rate <n>', 'rollouts started per minute', rateOption)
    .option('--cost <usd>', 'cost limit in USD', dollarsOption)
    .option('--daily <usd>', 'USD a day (UTC)', dollarsOption)
    .option('--steps <n>', 'step limit of a rollout', wholeOption)
    .option('--seed <n>', 'seed of switch indices and of a shuffled order', wholeOption)
    .option('--tenant <key>', 'whose rollouts these are: queues serve tenants in turn')
    .option('--priority <1..5>', '1 is served first', wholeOption)
    .option('--estimate', 'say what it will take, from earlier rollouts of these models, and start nothing');
  addStartOptions(command, 'workflow id; a campaign of that id is continued')
    .addHelpText('after', '\nExit code of --wait and --watch: 0 complete, 3 ended before that, 1 an error.')
    .action(async ({ input: file, id, wait, watch, estimate, ...flags }: StartCampaignFlags) => {
      const input = campaignInput(file ? readInput(file) : {}, flags);
      const estimates = await estimateCampaign(cli, input);
      const lines = estimates ? estimateLines(estimates) : ['estimate: it is not known how many problems there are'];
      if (estimate) return cli.print({ estimates: estimates ?? null }, () => lines.join('\n'));
      for (const line of lines) cli.say(line);
      const name = typeof input.problems === 'string' ? basename(input.problems).replace(/\.\w+$/, '') : 'campaign';
      const handle = await cli.start('campaign', input, {
        id: id ?? `campaign/${name}-${randomBytes(4).toString('hex')}`,
        note: `rollouts of ${name}`,
      });
      const result = await resultIfAwaited(cli, handle, {
        wait,
        watch,
        follow: watchCommand('campaign', handle),
        watched: () => followCampaign(cli, handle),
      });
      if (!result) return;
      printCampaignAnswer(cli, result);
      if (result.status !== 'complete') process.exitCode = NOT_COMPLETE;
    });
}

type StartCampaignFlags = CampaignFlags & StartFlags & { readonly estimate?: boolean };

/** Each with a comma or a blank behind it. */
function presets(text: string, before: readonly PresetName[] = []): PresetName[] {
  const added = text.split(',').map((part) => {
    const name = PRESET_NAMES.find((each) => each === part.trim());
    if (!name) throw new InvalidArgumentError(`expected some of ${PRESET_NAMES.join(', ')}.`);
    return name;
  });
  return [...before, ...added];
}

export function rateOption(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('expected rollouts a minute, like 30.');
  return value;
}

/** Flags that stand over what the input file says. */
interface CampaignFlags {
  readonly problems?: string;
  readonly only?: readonly string[];
  readonly methods?: readonly PresetName[];
  readonly student?: string;
  readonly expert?: string;
  readonly handOver?: HandOverPolicy;
  readonly teachers?: string;
  readonly passes?: number;
  readonly order?: string;
  readonly resolvedPerInstance?: number;
  readonly concurrency?: number;
  readonly rate?: number;
  readonly cost?: number;
  readonly daily?: number;
  readonly steps?: number;
  readonly seed?: number;
  readonly tenant?: string;
  readonly priority?: number;
}

/** The paper's three ways of making trajectories, and a curriculum: who acts in each, and when the expert takes over. */
const PRESETS = {
  oec: { authors: ['student', 'expert'], handOver: { uniform: [0, 30] } },
  bc: { authors: ['expert'], handOver: { at: 0 } },
  'on-policy': { authors: ['student'], handOver: { never: true } },
  /** The student behind the first steps of what an expert solved, fewer as it passes more often. */
  'teacher-prefix': { authors: ['student'], handOver: { never: true } },
} as const;
type PresetName = keyof typeof PRESETS;
const PRESET_NAMES = Object.keys(PRESETS) as PresetName[];

/** File and flags put together and checked, defaults left to the workflow. Throws `InvalidInput` that names each field. */
export function campaignInput(written: Written, flags: CampaignFlags): Written {
  const { methods, student, expert, handOver, teachers, rate, cost, daily, steps, tenant, ...fields } = flags;
  const merged: Written = { ...written, ...given({ ...fields, startsPerMinute: rate }) };
  const budget = given({ totalUsd: cost, dailyUsd: daily });
  if (Object.keys(budget).length > 0) merged.budget = { ...(merged.budget as object | undefined), ...budget };
  if (steps !== undefined) merged.limits = { ...(merged.limits as object | undefined), steps };
  if (tenant !== undefined) merged.tenant = { ...(merged.tenant as object | undefined), key: tenant };
  if (methods || student || expert || handOver) merged.methods = methodsOf(flags);
  if (typeof merged.problems === 'string') merged.problems = reachable(merged.problems);
  parseInput<unknown>(CampaignInput, merged, 'campaign');
  return merged;
}

/** Methods by name; without names the one that the given profiles are for. */
function methodsOf({ methods, student, expert, handOver, teachers }: CampaignFlags): object[] {
  const profiles = { student, expert };
  const names = methods ?? [student && expert ? 'oec' : expert ? 'bc' : 'on-policy'];
  return names.map((name) => {
    const { authors, handOver: usual } = PRESETS[name];
    const missing = authors.find((author) => !profiles[author]);
    if (missing)
      throw new PointsmanError('InvalidInput', `--methods ${name}: --${missing} is needed`, 'Name a model profile.');
    const own = Object.fromEntries(authors.map((author) => [author, profiles[author]]));
    if (name === 'teacher-prefix' && !teachers) {
      const what = 'Name an ended campaign whose expert solved the problems by itself, like one of `--methods bc`.';
      throw new PointsmanError('InvalidInput', `--methods ${name}: --teachers is needed`, what);
    }
    return {
      name,
      ...own,
      handOver: name === 'oec' && handOver ? handOver : usual,
      ...(name === 'teacher-prefix' ? { teacherPrefix: { campaign: teachers } } : {}),
    };
  });
}
