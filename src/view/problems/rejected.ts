import type { FunctionTarget, RejectedFunction } from '../../contract';
import { shortened, wrapWords } from '../columns';
import { safeLine } from '../safe-text';

/** Functions that were worked on and are no problem, each with its reasons; those that a rule left out are the funnel's. */
export function rejectedLines(rejected: readonly RejectedFunction[], width: number): string[] {
  return rejected.flatMap((each) => {
    if (!('reasons' in each)) return [];
    const reasons = each.reasons.map((reason) => `  ${safeLine(reason)}`);
    return [shortened(safeLine(dotted(each.target)), width), ...wrapWords(reasons, width)];
  });
}

export function dotted({ module, name }: FunctionTarget): string {
  return `${module}.${name}`;
}
