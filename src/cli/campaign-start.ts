import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { printCampaignAnswer, waitedCampaign } from './campaign-answer';
import { type CampaignFlags, campaignInput, PRESET_NAMES, type PresetName } from './campaign-input';
import { followCampaign } from './campaign-watch';
import type { Cli } from './context';
import { readInput } from './input-file';
import { dollarsOption, handOverOption, wholeOption } from './options';
import { quote } from './temporal-command';

interface StartFlags extends CampaignFlags {
  readonly input?: string;
  readonly id?: string;
  readonly wait?: boolean;
  readonly watch?: boolean;
}

/** Exit code of `--wait` for a campaign that skipped rollouts at its end. */
const NOT_COMPLETE = 3;

/** `campaign start`: instances × methods × passes of rollouts. */
export function addCampaignStart(campaign: Command, cli: Cli): void {
  campaign
    .command('start')
    .description('start rollouts of many problems, or go on with a campaign of that id')
    .option('-i, --input <file>', 'JSON or YAML file, "-" for standard input')
    .option('--problems <path>', 'JSONL file or folder of problems')
    .option('--only <id...>', 'these instances alone')
    .option('--methods <names>', `of ${PRESET_NAMES.join(', ')}, parted by commas`, presets)
    .option('--student <profile>', 'model profile of the student')
    .option('--expert <profile>', 'model profile of the expert')
    .option('--hand-over <k|a..b>', 'student turns before the expert, for oec (default: 0..30)', handOverOption)
    .option('--passes <n>', 'passes over all instances', wholeOption)
    .addOption(new Option('--order <order>', 'what comes first').choices(['passes', 'instances', 'shuffled']))
    .option('--resolved-per-instance <n>', 'no further pass over what a method resolved so often', wholeOption)
    .option('--concurrency <n>', 'rollouts in flight at once (default: 4)', wholeOption)
    .option('--rate <n>', 'rollouts begun a minute', rateOption)
    .option('--total <usd>', 'USD in all', dollarsOption)
    .option('--daily <usd>', 'USD a day (UTC)', dollarsOption)
    .option('--steps <n>', 'turns of a rollout at most', wholeOption)
    .option('--seed <n>', 'of switch indices and of a shuffled order', wholeOption)
    .option('--tenant <key>', 'whose work it is: queues serve tenants in turn')
    .option('--priority <1..5>', '1 is served first', wholeOption)
    .option('--id <id>', 'workflow id; what an earlier campaign of that id has done is kept')
    .option('--wait', 'wait for the result and print it')
    .option('--watch', 'follow it on standard error, then print the result')
    .addHelpText('after', '\nExit code of --wait and --watch: 0 complete, 3 ended before that, 1 an error.')
    .action(async ({ input: file, id, wait, watch, ...flags }: StartFlags) => {
      const input = campaignInput(file ? readInput(file) : {}, flags);
      const name = typeof input.problems === 'string' ? basename(input.problems).replace(/\.\w+$/, '') : 'campaign';
      const handle = await cli.start('campaign', input, {
        id: id ?? `campaign/${name}-${randomBytes(4).toString('hex')}`,
        note: `rollouts of ${name}`,
      });
      if (!wait && !watch) {
        cli.say(`follow it: switchyard campaign watch ${quote(handle.workflowId)}`);
        return cli.print({ id: handle.workflowId, runId: handle.firstExecutionRunId }, () => handle.workflowId);
      }
      const result = watch ? await followCampaign(cli, handle) : await waitedCampaign(cli, handle);
      printCampaignAnswer(cli, result);
      if (result.status !== 'complete') process.exitCode = NOT_COMPLETE;
    });
}

function presets(text: string): PresetName[] {
  return text.split(',').map((part) => {
    const name = PRESET_NAMES.find((each) => each === part.trim());
    if (!name) throw new InvalidArgumentError(`expected some of ${PRESET_NAMES.join(', ')}.`);
    return name;
  });
}

export function rateOption(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('expected rollouts a minute, like 30.');
  return value;
}
