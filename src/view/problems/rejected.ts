import type { FunctionTarget, RejectedFunction } from '../../contract';
import { shortened, wrapWords } from '../columns';
import { grouped } from '../figures';
import { safeLine } from '../safe-text';
import { table } from '../table';

/** Functions that were worked on and are no problem, each with its reasons; those that a rule left out are the funnel's. */
export function rejectedLines(rejected: readonly RejectedFunction[], width: number): string[] {
  return rejected.flatMap((each) => {
    if (!('reasons' in each)) return [];
    const reasons = each.reasons.map((reason) => `  ${safeLine(reason)}`);
    return [shortened(safeLine(dotted(each.target)), width), ...wrapWords(reasons, width)];
  });
}

/** How many each rule left out; rules that left nothing out say nothing. */
export function funnelTable(
  funnel: readonly { readonly rule: string; readonly left: number; readonly rejected: number }[],
  width: number,
): string {
  return table(
    funnel.filter(({ rejected }) => rejected > 0),
    [
      { title: 'RULE', value: ({ rule }) => rule },
      { title: 'LEFT OUT', value: ({ rejected }) => grouped(rejected), right: true },
      { title: 'REMAIN', value: ({ left }) => grouped(left), right: true },
    ],
    width,
  );
}

export function dotted({ module, name }: FunctionTarget): string {
  return `${module}.${name}`;
}
