import type { Funnel, FunnelStage } from '../../../contract';
import { funnelsOf, type MethodFunnel, summed } from '../../../dataset/funnel';
import { count, grouped } from '../../../view/figures';
import { bars } from '../../charts/bars';
import { type Fill, legend, type Texture } from '../../charts/fill';
import { funnelChart } from '../../charts/funnel';
import { html } from '../../html';
import { column } from '../data';
import { LOSS_WORDS, MISSED_WORDS, STAGE_WORDS } from '../loss-words';
import { methodsOf, type ReportMaterial } from '../material';
import type { Figure, Part } from '../part';
import { spaced } from '../words';

/** Palette place of what is no method: the quietest. */
const REST = 7;
const TEXTURES: readonly Texture[] = ['plain', 'hatch', 'dots'];

/** From planned to kept: what every stage let through, and why the rest did not. */
export function funnelPart(material: ReportMaterial): Part | undefined {
  const { dataset, rows } = material;
  const funnels = dataset?.result.funnels ?? funnelsOf(rows);
  if (funnels.length === 0) return undefined;
  const planned = funnels.reduce((sum, { funnel }) => sum + (funnel.stages[0]?.count ?? 0), 0);
  const others = dataset !== null && rows.length > 0 && planned !== rows.length;
  const wrong = funnels.filter(({ funnel }) => !sums(funnel)).map(({ method }) => method);
  return {
    id: 'funnel',
    title: dataset ? 'From planned to kept' : 'From planned to passed',
    intro: html`<p>Every rollout that was planned is counted once: it is either in the last line of its method, or lost at exactly one stage for exactly one reason – the first that applies.</p>
${others ? html`<p class="note">The data set was made of ${count(planned, 'rollout')}, the other parts speak of ${grouped(rows.length)}: not the same set.</p>` : null}${wrong.length > 0 ? html`<p class="note">The counts of ${wrong.join(', ')} do not add up as they were given. Do not use them.</p>` : null}`,
    figures: [funnelFigure(funnels, material), lossFigure(funnels, material)],
  };
}

/** Whether each stage holds what the one before held, less its own losses. */
export function sums({ stages, losses }: Funnel): boolean {
  return stages.every(({ stage, count: reached }, at) => {
    const before = at === 0 ? reached : stages[at - 1]!.count;
    return reached === before - lostAt(losses, stage);
  });
}

function funnelFigure(funnels: readonly MethodFunnel[], material: ReportMaterial): Figure {
  const series = methodsOf(material);
  const many = funnels.length > 1 && funnels.every(({ funnel }) => sameStages(funnel, funnels[0]!.funnel));
  const total = many ? summed(funnels.map(({ funnel }) => funnel)) : undefined;
  const all = [...funnels, ...(total ? [{ method: 'all methods', funnel: total }] : [])];
  return {
    id: 'funnel-by-method',
    title: 'Stages, by method',
    caption:
      'Solid: rollouts that reached the stage. Hatched: those lost since the stage before. A method without a hand-over passes that stage by; behavioural cloning is handed over at its first turn.',
    drawn: all.map(({ method, funnel }) =>
      funnelChart({
        title: `Funnel of ${method}`,
        description: funnel.stages.map(({ stage, count: reached }) => `${STAGE_WORDS[stage]} ${reached}`).join(', '),
        name: method,
        series: series.get(method) ?? REST,
        levels: funnel.stages.map(({ stage, count: reached }) => ({
          label: STAGE_WORDS[stage],
          count: reached,
          lost: lostAt(funnel.losses, stage),
          why: reasonsAt(funnel.losses, stage),
        })),
      }),
    ),
    data: {
      columns: [
        column('method', 'method', 'text'),
        column('stage', 'stage', 'word'),
        column('count', 'reached it'),
        column('lost', 'lost before'),
        column('share', 'of planned', 'share'),
      ],
      rows: all.flatMap(({ method, funnel }) =>
        funnel.stages.map(({ stage, count: reached }) => {
          const planned = funnel.stages[0]!.count;
          return [method, stage, reached, lostAt(funnel.losses, stage), planned === 0 ? null : reached / planned];
        }),
      ),
    },
  };
}

function lossFigure(funnels: readonly MethodFunnel[], material: ReportMaterial): Figure {
  const series = methodsOf(material);
  const fillOf = (method: string): Fill => {
    const at = series.get(method) ?? 0;
    return { series: at, texture: TEXTURES[at % TEXTURES.length]! };
  };
  const losses = funnels.flatMap(({ method, funnel }) => funnel.losses.map((loss) => ({ method, ...loss })));
  const stages = [...new Set(funnels.flatMap(({ funnel }) => funnel.stages.map(({ stage }) => stage)))];
  const groups = stages.map((stage) => {
    const here = losses.filter((loss) => loss.stage === stage);
    const reasons = [...new Set(here.map(({ reason }) => reason))];
    return {
      title: MISSED_WORDS[stage],
      bars: reasons.map((reason) => {
        const of = here.filter((loss) => loss.reason === reason);
        return {
          label: spaced(reason),
          segments: of.map(({ method, count: lost }) => ({
            value: lost,
            fill: fillOf(method),
            says: `${method}: ${lost} – ${LOSS_WORDS[reason]}`,
          })),
          value: grouped(of.reduce((sum, each) => sum + each.count, 0)),
        };
      }),
    };
  });
  const shown = groups.filter((group) => group.bars.length > 0);
  const drawn = [
    legend(funnels.map(({ method }) => ({ label: method, fill: fillOf(method) }))),
    bars({
      title: 'Reasons for losses, by stage',
      description: losses.map(({ method, reason, count: lost }) => `${method}: ${spaced(reason)} ${lost}`).join(', '),
      groups: shown,
      axis: 'rollouts',
      whole: true,
    }),
  ];
  return {
    id: 'losses',
    title: 'Reasons for losses',
    caption: 'Each rollout that is not kept, under the first reason that applies, at the stage that it did not reach.',
    ...(shown.length > 0 ? { drawn } : {}),
    data: {
      columns: [
        column('method', 'method', 'text'),
        column('stage', 'stage not reached', 'word'),
        column('reason', 'reason', 'word'),
        column('count', 'rollouts'),
        column('meaning', 'because', 'text'),
      ],
      rows: losses.map(({ method, stage, reason, count: lost }) => [method, stage, reason, lost, LOSS_WORDS[reason]]),
    },
  };
}

function lostAt(losses: Funnel['losses'], stage: FunnelStage): number {
  return losses.filter((loss) => loss.stage === stage).reduce((sum, loss) => sum + loss.count, 0);
}

/** The largest three, then how many others there are. */
function reasonsAt(losses: Funnel['losses'], stage: FunnelStage): string {
  const here = losses.filter((loss) => loss.stage === stage).toSorted((a, b) => b.count - a.count);
  if (here.length === 1) return spaced(here[0]!.reason);
  const more = here.length > 3 ? [`${here.length - 3} more`] : [];
  return [...here.slice(0, 3).map(({ reason, count: lost }) => `${spaced(reason)} ${grouped(lost)}`), ...more].join(
    ', ',
  );
}

function sameStages(one: Funnel, other: Funnel): boolean {
  return one.stages.map(({ stage }) => stage).join() === other.stages.map(({ stage }) => stage).join();
}
