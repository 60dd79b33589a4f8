import { BY_MODEL, type Funnel, type FunnelStage, type LossReason, type RolloutRow } from '../../../contract';
import { funnelsOf, type MethodFunnel, otherHandOvers, summed } from '../../../dataset/funnel';
import { isDoubtful, isUnproved } from '../../../dataset/losses';
import { bars } from '../../charts/bars';
import { type Fill, legend, type Texture } from '../../charts/fill';
import { funnelChart } from '../../charts/funnel';
import { count, grouped } from '../../figures';
import { type Html, html } from '../../html';
import { column } from '../data';
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
${others ? html`<p class="note">The data set was made of ${count(planned, 'rollout')}, the other parts speak of ${grouped(rows.length)}: not the same set.</p>` : null}${wrong.length > 0 ? html`<p class="note">The counts of ${wrong.join(', ')} do not add up as they were given. Do not use them.</p>` : null}${doubts(rows)}${unproved(rows)}`,
    figures: [funnelFigure(funnels, material), lossFigure(funnels, material)],
  };
}

/** The one funnel that a report leads with: of all methods together. Undefined where there is none, or stages differ. */
export function leadFunnel({ dataset, rows }: ReportMaterial): Html | undefined {
  const funnels = dataset?.result.funnels ?? funnelsOf(rows);
  const [first] = funnels;
  if (!first || !funnels.every(({ funnel }) => sameStages(funnel, first.funnel) && sums(funnel))) return undefined;
  return drawnFunnel('all methods', summed(funnels.map(({ funnel }) => funnel)), REST, 'All rollouts, stage by stage');
}

function drawnFunnel(name: string, funnel: Funnel, series: number, title: string): Html {
  return funnelChart({
    title,
    description: funnel.stages.map(({ stage, count: reached }) => `${STAGE_WORDS[stage]} ${reached}`).join(', '),
    name,
    series,
    levels: funnel.stages.map(({ stage, count: reached }) => ({
      label: STAGE_WORDS[stage],
      count: reached,
      lost: lostAt(funnel.losses, stage),
      why: reasonsAt(funnel.losses, stage),
    })),
  });
}

/** Verdicts that somebody would look at before training on them, and what became of them. */
function doubts(rows: readonly RolloutRow[]): Html | null {
  const doubtful = rows.filter((row) => row.review || isDoubtful(row));
  if (doubtful.length === 0) return null;
  const reviews = doubtful.flatMap(({ review }) => review ?? []);
  const accepted = reviews.filter((review) => review.accepted).length;
  const models = reviews.filter(({ by }) => by.startsWith(BY_MODEL)).length;
  const open = doubtful.length - reviews.length;
  return html`<p class="note">Verdicts in doubt: ${grouped(doubtful.length)}. Reviews accepted ${grouped(accepted)} and refused ${grouped(reviews.length - accepted)}${models > 0 ? html` (${grouped(models)} by a model)` : null}; ${open === 1 ? '1 waits' : `${grouped(open)} wait`} for one (<code>pointsman rollout review</code>).</p>`;
}

/** Passes that no control stands behind: languages and tests without a provable expectation. */
function unproved(rows: readonly RolloutRow[]): Html | null {
  const passed = rows.filter(({ result }) => result?.resolved === true && result.grade);
  const without = passed.filter(({ result }) => isUnproved(result!.grade!)).length;
  if (without === 0) return null;
  return html`<p class="note">Of ${count(passed.length, 'resolved rollout')}, ${grouped(without)} passed tests of which none could be tried with a wrong expectation; their rows are flagged <code>no_control</code>.</p>`;
}

/** Whether each stage holds what the one before held, less its own losses. */
function sums({ stages, losses }: Funnel): boolean {
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
  const others = funnels.flatMap(({ method, funnel }) => {
    const other = otherHandOvers(funnel.handOvers);
    return other === '' ? [] : [`${method}: ${other}`];
  });
  return {
    id: 'funnel-by-method',
    title: 'Stages, by method',
    caption:
      'Solid: rollouts that reached the stage. Hatched: those lost since the stage before. A method without a hand-over passes that stage by; behavioural cloning is handed over at its first turn.' +
      (others.length > 0 ? ` Handed over for another reason than the policy’s: ${others.join('; ')}.` : ''),
    // Of all together it is what the report leads with.
    drawn: funnels.map(({ method, funnel }) =>
      drawnFunnel(method, funnel, series.get(method) ?? REST, `Funnel of ${method}`),
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

const STAGE_WORDS: Readonly<Record<FunnelStage, string>> = {
  planned: 'planned',
  started: 'started',
  handed_over: 'handed over',
  submitted: 'submitted',
  passed: 'tests passed',
  not_doubtful: 'not doubtful',
  not_repetitive: 'not repetitive',
  kept: 'kept',
};

/** What is said of rollouts that did not reach a stage. */
const MISSED_WORDS: Readonly<Record<FunnelStage, string>> = {
  planned: 'not planned',
  started: 'not started',
  handed_over: 'not handed over',
  submitted: 'not submitted',
  passed: 'tests not passed',
  not_doubtful: 'doubtful',
  not_repetitive: 'repetitive',
  kept: 'not kept for another reason',
};

/** Each reason for a loss, as a sentence goes on: "was lost because …". */
const LOSS_WORDS: Readonly<Record<LossReason, string>> = {
  instance_cap: 'its instance was already resolved often enough',
  budget_exhausted: 'the budget of the campaign was used up before it began',
  abandoned: 'the campaign was ended before it began',
  cancelled_before_start: 'the campaign was cancelled before it began',
  failed: 'the run itself failed',
  cancelled: 'it was cancelled',
  submitted_before_switch: 'the student submitted before the hand-over',
  ended_before_switch: 'it ended at a limit before the hand-over',
  other_hand_over: 'the expert took over for a reason that the recipe leaves out',
  limit_steps: 'it reached the limit of turns',
  limit_cost: 'it reached its limit of USD',
  limit_context: 'its context was full',
  limit_tokens: 'it reached its limit of tokens',
  limit_wall_clock: 'it reached its limit of time',
  format_exhausted: 'replies in a row could not be read',
  timeouts_exhausted: 'commands in a row timed out',
  sandbox_lost: 'its sandbox was lost and could not be rebuilt',
  tampered: 'a command tampered with the record of results in its sandbox',
  model_rejected: 'the provider refused the request',
  run_budget_exhausted: 'a budget shared with other runs was used up',
  empty_patch: 'its patch has no change in it',
  patch_failed: 'its patch does not apply',
  no_tests: 'no test ran',
  tests_timed_out: 'the tests took too long',
  bribed: 'a test passes with a wrong expectation',
  tests_failed: 'a test that has to pass fails',
  reward_too_low: 'its graded reward is lower than the filter asks for',
  not_graded: 'it was not graded',
  suspicious: 'its patch has what honest fixes seldom have, and nobody accepted it',
  refused_in_review: 'a review refused it',
  controls_incomplete: 'some tests did not run with a wrong expectation',
  identical_actions: 'the same action several times in a row',
  endless_file_reading: 'it read files over and over',
  nothing_trained: 'it has no turn that would be trained',
  human: 'a person made a turn that would be trained',
  not_human: 'no person made a turn that would be trained',
  unfaithful: 'a turn cannot be written in the format of the student without a change',
  too_long: 'it is longer than a row may be',
  duplicate: 'what would be trained is in another row already',
  kept_enough_of_instance: 'enough rows of its instance were kept already',
  mixture: 'the mixture has enough rows of its method',
  chain_missing: 'its steps are no longer in the store',
};
