import { survivalOf } from '../../../dataset/survival';
import { dots } from '../../charts/dots';
import { legend } from '../../charts/fill';
import { histogram, type Layer } from '../../charts/histogram';
import { grouped } from '../../figures';
import { html } from '../../html';
import { column } from '../data';
import { methodsOf, type ReportMaterial } from '../material';
import type { Figure, Part } from '../part';
import { percent, percentIn } from '../words';

/** Expert blue and student orange, as everywhere. */
const LAYERS: readonly Layer[] = [
  { label: 'handed over, resolved', fill: { series: 0 } },
  { label: 'handed over, not resolved', fill: { series: 0, texture: 'hatch' } },
  { label: 'submitted before the hand-over', fill: { series: 1 } },
  { label: 'handed over early, by a person or as the student ended', fill: { series: 1, texture: 'hatch' } },
  { label: 'ended before the hand-over', fill: { series: 1, texture: 'dots' } },
];

/** What became of rollouts by the switch index that was drawn. */
export function switchingPart(material: ReportMaterial): Part | undefined {
  const figures = [survivalFigure(material), bucketFigure(material)].filter((each) => each !== undefined);
  if (figures.length === 0) return undefined;
  return {
    id: 'switching',
    title: 'The switch from student to expert',
    intro: html`<p>k is the number of turns that the student makes before the expert takes over; it is drawn before the run. If the student submits earlier, there are no expert turns, so the rollout is discarded; long student prefixes therefore survive less often than they are drawn.</p>`,
    figures,
  };
}

function survivalFigure({ rows, dataset }: ReportMaterial): Figure | undefined {
  const survival = rows.length > 0 ? survivalOf(rows) : (dataset?.result.survival ?? []);
  if (survival.length === 0) return undefined;
  const sum = (of: (each: (typeof survival)[number]) => number) =>
    survival.reduce((total, each) => total + of(each), 0);
  const [drawn, over] = [sum((each) => each.drawn), sum((each) => each.handedOver)];
  const ended = (each: (typeof survival)[number]) =>
    each.drawn - each.handedOver - each.handedOverEarly - each.submittedBeforeSwitch;
  return {
    id: 'switch-survival',
    title: 'Switch index drawn, and what survived',
    caption: `${grouped(drawn)} rollouts with a drawn switch; ${grouped(over)} (${percent(drawn === 0 ? 0 : over / drawn)}) were handed over, of which ${grouped(sum(({ resolved }) => resolved))} are resolved. The layers of a column add up to the rollouts that drew that k.`,
    drawn: [
      legend(LAYERS),
      histogram({
        title: 'Rollouts by switch index',
        description: `Of ${drawn} rollouts ${over} were handed over; ${sum((each) => each.submittedBeforeSwitch)} submitted before.`,
        layers: LAYERS,
        columns: survival.map((each) => ({
          at: each.k,
          counts: [
            each.resolved,
            each.handedOver - each.resolved,
            each.submittedBeforeSwitch,
            each.handedOverEarly,
            ended(each),
          ],
        })),
        axis: 'k, student turns before the hand-over',
        counted: 'rollouts',
      }),
    ],
    data: {
      columns: [
        column('k', 'k'),
        column('drawn', 'drawn'),
        column('submitted_before_switch', 'submitted before'),
        column('handed_over_early', 'handed over early'),
        column('ended_before_switch', 'ended before'),
        column('handed_over', 'handed over'),
        column('resolved', 'resolved'),
      ],
      rows: survival.map((each) => [
        each.k,
        each.drawn,
        each.submittedBeforeSwitch,
        each.handedOverEarly,
        ended(each),
        each.handedOver,
        each.resolved,
      ]),
    },
  };
}

function bucketFigure(material: ReportMaterial): Figure | undefined {
  const buckets = material.failureAnalysis?.result.buckets ?? [];
  if (buckets.length === 0) return undefined;
  const series = methodsOf(material);
  const methods = [...new Set(buckets.map(({ method }) => method))];
  return {
    id: 'switch-buckets',
    title: 'Resolve rate by switch bucket',
    caption:
      'Of the rollouts that were handed over, with 95 % intervals by Wilson. Buckets differ in which instances survive to them, so a difference between them is not the effect of k alone.',
    drawn: dots({
      title: 'Resolve rate by switch bucket',
      description: buckets
        .map(
          ({ method, from, to, resolveRate }) =>
            `${method} ${from}–${to}: ${resolveRate ? percent(resolveRate.value) : 'none'}`,
        )
        .join(', '),
      groups: methods.map((method) => ({
        title: method,
        dots: buckets
          .filter((bucket) => bucket.method === method)
          .map(({ from, to, resolveRate, resolved, handedOver }) => ({
            label: `k ${from}–${to}`,
            series: series.get(method) ?? 0,
            value: resolveRate?.value ?? null,
            low: resolveRate?.low ?? 0,
            high: resolveRate?.high ?? 0,
            says: resolveRate ? `${percentIn(resolveRate)}, ${resolved} of ${handedOver}` : 'none was handed over',
          })),
      })),
      axis: 'resolved, of those handed over',
      format: (value) => `${Math.round(value * 100)} %`,
      from: 0,
      to: 1,
    }),
    data: {
      columns: [
        column('method', 'method', 'text'),
        column('from', 'k from'),
        column('to', 'to'),
        column('drawn', 'drawn'),
        column('submitted_before_switch', 'submitted before'),
        column('handed_over', 'handed over'),
        column('resolved', 'resolved'),
        column('resolve_rate', 'rate', 'share'),
        column('low', '95 % from', 'share'),
        column('high', 'to', 'share'),
      ],
      rows: buckets.map((each) => [
        each.method,
        each.from,
        each.to,
        each.drawn,
        each.submittedBeforeSwitch,
        each.handedOver,
        each.resolved,
        each.resolveRate?.value ?? null,
        each.resolveRate?.low ?? null,
        each.resolveRate?.high ?? null,
      ]),
    },
  };
}
