import type { GradeResult, Tally } from '../contract';

/** What trainers read: numbers from 0 to 1, a flat object as Harbor's `reward.json` is. */
export interface Rewards extends Readonly<Record<string, number>> {
  /** 1 for resolved. */
  readonly reward: number;
  /** Share of FAIL_TO_PASS that passed times that of PASS_TO_PASS; 0 for what was bribed or tampered with. */
  readonly graded: number;
  readonly fail_to_pass: number;
  readonly pass_to_pass: number;
}

/** Of a verdict; undefined for a candidate that was caught, whose tests say nothing. */
export function rewardsOf(
  result: Pick<GradeResult, 'resolved' | 'verdict' | 'failToPass' | 'passToPass'> | undefined,
): Rewards {
  if (result === undefined || result.verdict === 'bribed')
    return { reward: 0, graded: 0, fail_to_pass: 0, pass_to_pass: 0 };
  const [fail, pass] = [shareOf(result.failToPass), shareOf(result.passToPass)];
  return { reward: result.resolved ? 1 : 0, graded: fail * pass, fail_to_pass: fail, pass_to_pass: pass };
}

/** Of no tests all pass. */
function shareOf({ passed, total }: Tally): number {
  return total === 0 ? 1 : passed / total;
}

/** How rewards of the parts of a problem become the whole's. */
export type OverParts = 'mean' | 'final';

/**
 * Of parts that were come to, undefined for one without a reward: the mean of each name, or the last as they are. A name that a
 * part lacks counts as 0 in it, a part without any reward does not count.
 *
 * Source: Harbor 0.26, `trial/trial.py` (`_aggregate_step_rewards`).
 */
export function overParts(
  rewards: readonly (Readonly<Record<string, number>> | undefined)[],
  how: OverParts,
): Record<string, number> {
  if (how === 'final') return { ...rewards.at(-1) };
  const heard = rewards.filter((each) => each !== undefined);
  const names = new Set(heard.flatMap((each) => Object.keys(each)));
  return Object.fromEntries(
    Array.from(names, (name) => [name, heard.reduce((sum, each) => sum + (each[name] ?? 0), 0) / heard.length]),
  );
}

/** Why no part is begun behind one with such rewards; undefined where one may be. */
export function whyStopped(
  rewards: Readonly<Record<string, number>> | undefined,
  least: Readonly<Record<string, number>> = {},
): string | undefined {
  const short = Object.entries(least).find(
    ([name, wanted]) => !((rewards?.[name] ?? Number.NEGATIVE_INFINITY) >= wanted),
  );
  return short && `${short[0]} is ${rewards?.[short[0]] ?? 'missing'}, and less than ${short[1]}`;
}

/** Verdicts on the parts of a problem that were come to, of `of`, as one: resolved where all parts were, and got 1. */
export function verdictOver(results: readonly GradeResult[], of: number, how: OverParts): GradeResult {
  const rewards = overParts(
    results.map((each) => each.rewards),
    how,
  );
  const last = results.at(-1)!;
  const whole = results.length === of;
  return {
    ...last,
    resolved: whole && (rewards.reward ?? 0) >= 1,
    ...(whole ? {} : { detail: `ended with part ${results.length} of ${of}` }),
    failToPass: {
      passed: results.filter((each) => each.resolved).length,
      total: of,
      missing: results.flatMap((each, at) => (each.resolved ? [] : [`part ${at + 1}`])),
    },
    runs: results.flatMap(({ runs }, at) => runs.map((run) => ({ ...run, name: `part ${at + 1}: ${run.name}` }))),
    seconds: results.reduce((sum, { seconds }) => sum + seconds, 0),
    rewards,
  };
}
