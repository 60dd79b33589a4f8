import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { parseInput, RegradeInput, type RegradeResult, type VerdictChange } from '../../contract';
import { count } from '../../pages/figures';
import type { Cli } from '../context';
import { runToEnd } from '../follow';
import { given, reachable } from '../input-file';
import { wholeOption } from '../options';
import { controlsOption } from '../problem/grade';

interface RegradeFlags {
  readonly problems?: string;
  readonly ungraded?: boolean;
  readonly controls: RegradeInput['controls'];
  readonly concurrency?: number;
  readonly id?: string;
  readonly out?: string;
}

/** Differences that are printed; the rows have all. */
const SHOWN = 20;

/** `campaign regrade`: the verdicts on its patches once more, no agent run again. */
export function addCampaignRegrade(campaign: Command, cli: Cli): void {
  campaign
    .command('regrade <id>')
    .description(
      'judge the patches of a campaign again, with other tests, a new judge, or after an outage; no agent runs',
    )
    .option('--problems <path>', 'problems as of today (default: as they were when it began)')
    .option('--ungraded', 'only those that have no verdict')
    .addOption(controlsOption())
    .option('--concurrency <n>', 'gradings at once', wholeOption)
    .option('--id <id>', 'workflow id; one that runs already is joined')
    .option('--out <file>', 'the rows with both verdicts as JSONL: a source of data sets')
    .action(async (source: string, flags: RegradeFlags) => {
      const { problems, ungraded, controls, concurrency, out } = flags;
      const input = given({
        sources: [{ campaign: source }],
        problems: problems && reachable(problems),
        only: ungraded ? 'ungraded' : undefined,
        controls,
        concurrency,
      });
      parseInput(RegradeInput, input, 'campaign regrade');
      const result = await runToEnd<RegradeResult>(cli, 'regrade', input, {
        id: flags.id ?? `${source}/regrade-${randomBytes(4).toString('hex')}`,
        note: `patches of ${source} judged again`,
      });
      const file = out && resolve(out);
      if (file) writeFileSync(file, await cli.blobs.get(result.rollouts.sha256));
      cli.print({ ...result, ...(file ? { file } : {}) }, () => {
        const { rows, judged, changed, failed } = result.counts;
        return [
          `${count(judged, 'patch', 'patches')} of ${count(rows, 'rollout')} judged, ${changed} otherwise than before${failed > 0 ? `, ${failed} could not be judged` : ''}`,
          ...result.changes.slice(0, SHOWN).map(changeLine),
          file ? `rows with both verdicts: ${file}` : 'the rows with both verdicts: again with --out FILE, or `--json`',
        ].join('\n');
      });
    });
}

function changeLine({ id, before, after, error }: VerdictChange): string {
  return `  ${id}: ${word(before)} → ${after ? word(after) : `no verdict (${error ?? 'unknown'})`}`;
}

function word(verdict: VerdictChange['before']): string {
  if (!verdict) return 'not graded';
  return `${verdict.resolved ? 'resolved' : 'not resolved'} (${verdict.verdict.replaceAll('_', ' ')})`;
}
