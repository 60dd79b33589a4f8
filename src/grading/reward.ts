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
