import type { Command } from 'commander';
import { difficulties, isBetween } from '../../analysis/difficulty';
import { count } from '../../pages/figures';
import { readCampaign } from '../campaign/reading';
import type { Cli } from '../context';
import { shareRangeOption } from '../options';

interface DifficultyFlags {
  readonly campaign: readonly string[];
  readonly between?: readonly [number, number];
}

/** `problem difficulty`: how often each problem was resolved, as campaigns can be told (`passRates`). */
export function addProblemDifficulty(problem: Command, cli: Cli): void {
  problem
    .command('difficulty')
    .description('pass rates of problems in campaigns, with intervals: outages do not count')
    .requiredOption('--campaign <id...>', 'campaigns whose rollouts count')
    .option('--between <low..high>', 'only problems whose rate lies there, like 0.1..0.9', shareRangeOption)
    .action(async ({ campaign, between = [0, 1] }: DifficultyFlags) => {
      const rows = (await Promise.all(campaign.map((id) => readCampaign(cli, id)))).flatMap((each) => each.rows);
      const all = difficulties(rows);
      const problems = all.filter((each) => isBetween(each, between, 'rate'));
      cli.print({ problems, of: all.length }, () => {
        const width = Math.max(7, ...problems.map(({ instance }) => instance.length));
        const lines = problems.map(({ instance, runs, resolved, rate, interval: [low, high] }) => {
          const share = rate === null ? '   -' : rate.toFixed(2);
          return `${instance.padEnd(width)}  ${share}  ${low.toFixed(2)}–${high.toFixed(2)}  ${resolved} of ${runs}`;
        });
        return [
          `${'problem'.padEnd(width)}  rate  95 %       resolved`,
          ...lines,
          `${problems.length} of ${count(all.length, 'problem')}`,
        ].join('\n');
      });
    });
}
