import type { RolloutRow } from '../../../contract';
import { bars } from '../../charts/bars';
import { type Quantiles, quantileChart, quantilesOf } from '../../charts/quantiles';
import { dollars, grouped } from '../../figures';
import { html } from '../../html';
import { column } from '../data';
import { methodsOf, type ReportMaterial } from '../material';
import type { Figure, Part } from '../part';
import { figure } from '../words';

interface MethodCost {
  readonly method: string;
  readonly series: number;
  /** Rollouts with a result. */
  readonly rollouts: number;
  readonly resolved: number;
  /** Null where the data set does not tell. */
  readonly kept: number | null;
  readonly usd: number;
  readonly tokens: number;
  readonly turns: readonly number[];
  readonly usdEach: readonly number[];
  readonly seconds: readonly number[];
}

/** What rollouts cost and how long they take, by method. */
export function costPart(material: ReportMaterial): Part | undefined {
  const costs = costsOf(material);
  if (costs.length === 0) return undefined;
  const priced = costs.some(({ usd }) => usd > 0);
  return {
    id: 'cost',
    title: 'Cost and time',
    intro: html`<p>Money is what profiles price their calls at, format retries included; a profile without a price counts as $0.${priced ? null : html` <span class="note">No call of these rollouts had a price.</span>`} Time runs from start to end by the server’s clock, so waiting for a model, a sandbox or a person is part of it.</p>`,
    figures: [
      costFigure(costs),
      spreadFigure(costs, {
        id: 'turns',
        title: 'Turns of a rollout',
        axis: 'turns, student’s and expert’s',
        of: ({ turns }) => turns,
        said: (value) => String(Math.round(value)),
      }),
      spreadFigure(costs, {
        id: 'minutes',
        title: 'Time of a rollout',
        axis: 'minutes',
        of: ({ seconds }) => seconds.map((each) => each / 60),
        said: (value) => (value < 1 ? figure(value) : value.toFixed(1)),
      }),
    ],
  };
}

function costsOf(material: ReportMaterial): MethodCost[] {
  const { rows, dataset } = material;
  return [...methodsOf(material)].flatMap(([method, series]): MethodCost[] => {
    const own = rows.filter((row) => row.method === method);
    const ended = own.flatMap(({ result }) => result ?? []);
    if (ended.length === 0) return [];
    return [
      {
        method,
        series,
        rollouts: ended.length,
        resolved: ended.filter(({ resolved }) => resolved).length,
        kept: keptOf(own, method, dataset?.result.funnels ?? []),
        usd: sum(ended.map(({ cost }) => cost.usd)),
        tokens: sum(ended.map(({ cost }) => cost.tokens)),
        turns: ended.map(({ turns }) => turns.total),
        usdEach: ended.map(({ cost }) => cost.usd),
        seconds: own.flatMap(({ seconds }) => seconds ?? []),
      },
    ];
  });
}

/** Only where the data set was made of these very rollouts: else the division would say nothing. */
function keptOf(
  own: readonly RolloutRow[],
  method: string,
  funnels: NonNullable<ReportMaterial['dataset']>['result']['funnels'],
): number | null {
  const stages = funnels.find((each) => each.method === method)?.funnel.stages ?? [];
  return stages[0]?.count === own.length ? (stages.find(({ stage }) => stage === 'kept')?.count ?? null) : null;
}

function costFigure(costs: readonly MethodCost[]): Figure {
  const per = (usd: number, n: number | null) => (n === null || n === 0 ? null : usd / n);
  const rows = costs.map((each) => ({
    ...each,
    perRollout: per(each.usd, each.rollouts)!,
    perResolved: per(each.usd, each.resolved),
    perKept: per(each.usd, each.kept),
  }));
  const group = (title: string, of: (row: (typeof rows)[number]) => number | null) => ({
    title,
    bars: rows.map((row) => {
      const value = of(row);
      const said = value === null ? '–' : dollars(value);
      return {
        label: row.method,
        segments: [{ value: value ?? 0, fill: { series: row.series }, says: `${row.method}: ${said}` }],
        value: said,
      };
    }),
  });
  const groups = [
    group('per rollout', ({ perRollout }) => perRollout),
    group('per resolved rollout', ({ perResolved }) => perResolved),
    ...(rows.some(({ perKept }) => perKept !== null) ? [group('per kept row', ({ perKept }) => perKept)] : []),
  ];
  return {
    id: 'cost-by-method',
    title: 'USD by method',
    caption:
      'All calls of a method divided by its rollouts, its resolved rollouts and its rows in the training set: it includes what was spent on lost ones.',
    drawn: bars({
      title: 'USD per rollout, per resolved rollout and per kept row, by method',
      description: rows.map(({ method, perRollout }) => `${method} ${dollars(perRollout)} per rollout`).join(', '),
      groups,
      axis: 'USD',
    }),
    data: {
      columns: [
        column('method', 'method', 'text'),
        column('rollouts', 'rollouts'),
        column('resolved', 'resolved'),
        column('kept', 'kept'),
        column('usd', 'USD', 'usd'),
        column('usd_per_rollout', 'per rollout', 'usd'),
        column('usd_per_resolved', 'per resolved', 'usd'),
        column('usd_per_kept', 'per kept', 'usd'),
        column('tokens', 'tokens'),
        column('hours', 'hours', 'number'),
      ],
      rows: rows.map((row) => [
        row.method,
        row.rollouts,
        row.resolved,
        row.kept,
        row.usd,
        row.perRollout,
        row.perResolved,
        row.perKept,
        row.tokens,
        sum(row.seconds) / 3600,
      ]),
    },
  };
}

interface Spread {
  readonly id: string;
  readonly title: string;
  readonly axis: string;
  readonly of: (cost: MethodCost) => readonly number[];
  readonly said: (value: number) => string;
}

function spreadFigure(costs: readonly MethodCost[], { id, title, axis, of, said }: Spread): Figure {
  const rows = costs.map((cost) => ({ ...cost, quantiles: quantilesOf(of(cost)) }));
  const words = ({ n, median, p25, p75 }: Quantiles) =>
    `median ${said(median)} (${said(p25)} to ${said(p75)}), n = ${grouped(n)}`;
  return {
    id: `${id}-by-method`,
    title,
    caption: 'Mark: median. Box: the middle half. Line: from the 5th to the 95th percentile.',
    drawn: quantileChart({
      title: `${title}, by method`,
      description: rows
        .map(({ method, quantiles }) => `${method}: ${quantiles ? words(quantiles) : 'none'}`)
        .join('; '),
      rows: rows.map(({ method, series, quantiles }) => ({
        label: method,
        series,
        quantiles,
        says: quantiles ? words(quantiles) : 'none',
      })),
      axis,
    }),
    data: {
      columns: [
        column('method', 'method', 'text'),
        column('n', 'n'),
        ...QUANTILES.map((key) => column(`${key}_${id}`, key, 'number')),
      ],
      rows: rows.map(({ method, quantiles }) => [
        method,
        quantiles?.n ?? 0,
        ...QUANTILES.map((key) => quantiles?.[key] ?? null),
      ]),
    },
  };
}

const QUANTILES = ['p5', 'p25', 'median', 'p75', 'p95'] as const;

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}
