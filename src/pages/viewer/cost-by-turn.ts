import { dollars } from '../figures';
import type { RunPage, TurnView } from './payload';

/** What a turn cost, and all turns until it. */
export interface CostAt {
  readonly turn: number;
  readonly who: TurnView['who'];
  readonly usd: number;
  readonly usdSoFar: number;
  /** Prompt and reply. */
  readonly tokens: number;
  readonly tokensSoFar: number;
}

export function costByTurn(turns: readonly TurnView[]): CostAt[] {
  let [usdSoFar, tokensSoFar] = [0, 0];
  return turns.map(({ turn, who, usage }) => {
    const tokens = usage.promptTokens + usage.completionTokens;
    usdSoFar += usage.costUsd;
    tokensSoFar += tokens;
    return { turn, who, usd: usage.costUsd, usdSoFar, tokens, tokensSoFar };
  });
}

/** Results are rounded to a millionth of a dollar. */
const ROUNDED = 1e-6;

/** Why the run's own sum is another than that of its turns; empty where it is the same, or not known. */
export function costApart({ line, turns }: Pick<RunPage, 'line' | 'turns'>): string {
  const sum = costByTurn(turns).at(-1)?.usdSoFar ?? 0;
  if (line.usd === null || Math.abs(line.usd - sum) <= ROUNDED) return '';
  return line.usd > sum
    ? `The run cost ${dollars(line.usd)}, ${dollars(line.usd - sum)} more than its turns: for replies of which no turn came.`
    : `The run itself cost ${dollars(line.usd)}: turns that a fork keeps were paid for by the run that made them.`;
}
