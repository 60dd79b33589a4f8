import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { type CostEstimate, estimateOf, type Taken } from '../../analysis/estimate';
import { CampaignInput } from '../../contract';
import { count, grouped } from '../../pages/figures';
import type { Cli } from '../context';
import type { Written } from '../input-file';

/** Of each method, what its rollouts will take; null where no earlier one had its models. */
export interface CampaignEstimate {
  readonly method: string;
  readonly estimate: CostEstimate | null;
}

/**
 * What a campaign will take, method by method, from what rollouts of the same models took in campaigns of this home that have
 * ended. Undefined where it is not known how many problems there are.
 */
export async function estimateCampaign(cli: Cli, written: Written): Promise<CampaignEstimate[] | undefined> {
  const input = CampaignInput.parse(written);
  const problems = input.only.length || countProblems(input.problems);
  if (!problems) return undefined;
  const earlier = await Promise.all(
    (await cli.campaigns.list()).map((name) => cli.campaigns.rows(name).catch(() => [])),
  );
  const ended = earlier.flat().filter(({ result, seconds }) => result !== null && seconds !== null);
  return input.methods.map(({ name, student, expert, handOver, passes }) => {
    const like = ended.filter(
      (row) =>
        row.student === (student ?? null) &&
        row.expert === (expert ?? null) &&
        JSON.stringify(row.handOver) === JSON.stringify(handOver),
    );
    const taken = like.map(({ result, seconds }): Taken => ({ usd: result!.cost.usd, seconds: seconds! }));
    return { method: name, estimate: estimateOf(taken, problems * (passes ?? input.passes), input.concurrency) };
  });
}

/** One line a method. */
export function estimateLines(estimates: readonly CampaignEstimate[]): string[] {
  return estimates.map(({ method, estimate }) => {
    if (!estimate) return `estimate: ${method}: no earlier rollout of these models and this hand-over in this home`;
    const { rollouts, from, usd, hours } = estimate;
    const time = hours < 1 ? `${Math.ceil(hours * 60)} min` : `${hours.toFixed(1)} h`;
    return `estimate: ${method}: ${count(rollouts, 'rollout')}, $${usd.low.toFixed(2)} to $${usd.high.toFixed(2)}, about ${time} (from ${grouped(from)} earlier)`;
  });
}

function countProblems(problems: CampaignInput['problems']): number | undefined {
  if (Array.isArray(problems)) return problems.length;
  if (typeof problems !== 'string' || !existsSync(problems)) return undefined;
  if (!statSync(problems).isDirectory()) {
    const lines = readFileSync(problems, 'utf8').split('\n');
    return lines.filter((line) => line.trim() !== '').length;
  }
  return readdirSync(problems, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() || entry.name.endsWith('.json'),
  ).length;
}
