import type { ExitStatus, Limits, Spent } from '../contract/limits';

export const NOTHING_SPENT: Spent = {
  steps: 0,
  costUsd: 0,
  contextTokens: 0,
  tokens: 0,
  wallClockSeconds: 0,
  modelWaitSeconds: 0,
  consecutiveFormatErrors: 0,
  consecutiveTimeouts: 0,
};

/**
 * The limit that is used up, or undefined. Asked before each call, so that no answer is paid for and then thrown away;
 * a limit of n steps allows n steps. Where several are used up, the most specific reason is named.
 */
export function limitReached(limits: Limits, spent: Spent): ExitStatus | undefined {
  const atLeast = (used: number, limit: number | undefined) => limit !== undefined && used >= limit;
  if (atLeast(spent.consecutiveFormatErrors, limits.consecutiveFormatErrors)) return 'format_exhausted';
  if (atLeast(spent.consecutiveTimeouts, limits.consecutiveTimeouts)) return 'timeouts_exhausted';
  if (atLeast(spent.contextTokens, limits.contextTokens)) return 'limit_context';
  if (atLeast(spent.costUsd, limits.costUsd)) return 'limit_cost';
  if (atLeast(spent.tokens, limits.tokens)) return 'limit_tokens';
  if (atLeast(spent.steps, limits.steps)) return 'limit_steps';
  const waited = limits.modelWaitExcluded ? spent.modelWaitSeconds : 0;
  return atLeast(spent.wallClockSeconds - waited, limits.wallClockSeconds) ? 'limit_wall_clock' : undefined;
}
