import { grouped } from '../../../pages/figures';
import { table } from '../table';

export interface FunnelStep {
  readonly rule: string;
  readonly left: number;
  readonly rejected: number;
}

/** How many functions each rule left out; rules that left nothing out say nothing. */
export function funnelTable(funnel: readonly FunnelStep[], width: number): string {
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
