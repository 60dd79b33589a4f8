import type { CampaignProgress } from '../../../contract';
import { count, dollars, duration, grouped, moment } from '../../../pages/figures';
import type { Look } from '../../../pages/shown-run';
import { heading, wrapWords } from '../columns';
import { ink } from '../ink';
import { safeLine } from '../safe-text';
import { type Column, table } from '../table';
import { funnelLines } from './funnel';
import type { ShownCampaign } from './shown-campaign';

/** A whole campaign: what came of its rollouts, what it cost, and where everything is. */
export function campaignText(run: ShownCampaign, look: Look): string {
  const { result, progress, funnels, total, trouble } = run;
  const paint = ink(look.coloured);
  const rest = progress ? [...wrapWords([progressLine(progress)], look.width), ''] : [];
  return [
    ...headerLines(run, look),
    '',
    ...rest,
    ...(funnels.length > 0
      ? [heading(result ? 'funnel' : 'funnel so far', look), ...funnelLines(funnels, total, look)]
      : []),
    ...(trouble ? wrapWords([safeLine(trouble)], look.width).map(paint.bad) : []),
    ...run.links.map(([label, target]) => `${label}  ${target}`),
    ...nextLines(run).map(paint.dim),
  ]
    .join('\n')
    .trimEnd();
}

function headerLines(run: ShownCampaign, look: Look): string[] {
  const { id, status, result, startedAt, endedAt } = run;
  const paint = ink(look.coloured);
  const ended = result && status === 'completed' ? result.status.replaceAll('_', ' ') : status;
  const colour = ended === 'complete' ? paint.good : ended === 'running' ? paint.notice : paint.bad;
  const took = startedAt && endedAt ? ` · ${duration(endedAt.getTime() - startedAt.getTime())}` : '';
  return [
    paint.strong(safeLine(id)),
    `${colour(ended)}${startedAt ? ` · ${moment(startedAt)} UTC${took}` : ''}`,
    ...(result ? wrapWords([resultLine(result)], look.width) : []),
  ];
}

export function resultLine({ instances, planned, counts, cost }: ShownCampaign['result'] & object): string {
  const { finished, resolved, failed, cancelled, skipped } = counts;
  const others = Object.entries({ failed, cancelled, skipped }).filter(([, n]) => n > 0);
  return [
    `${count(instances, 'instance')}, ${count(planned, 'rollout')}`,
    [`${grouped(finished)} finished`, ...others.map(([name, n]) => `${grouped(n)} ${name}`)].join(', '),
    `${grouped(resolved)} resolved`,
    `${dollars(cost.usd)}, ${grouped(cost.tokens)} tokens`,
  ].join(' · ');
}

export function progressLine(progress: CampaignProgress): string {
  const { phase, planned, begun, counts, inFlight, concurrency, startsPerMinute, cost, waiting } = progress;
  const { resolved, failed, cancelled, skipped } = counts;
  const ended = counts.finished + failed + cancelled + skipped;
  return [
    waiting ?? phase.toLowerCase(),
    `${ended} of ${planned} done`,
    `${resolved} resolved`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    `${inFlight.length} in flight of ${concurrency}${startsPerMinute === null ? '' : `, ${startsPerMinute} a minute`}`,
    ...(begun > ended + inFlight.length ? [`${begun - ended - inFlight.length} starting`] : []),
    `${dollars(cost.usd)}${capsOf(progress)}`,
  ].join(' · ');
}

function capsOf({ budget: { totalUsd, dailyUsd }, todayUsd }: CampaignProgress): string {
  const total = totalUsd === undefined ? '' : ` of ${dollars(totalUsd)}`;
  return `${total}${dailyUsd === undefined ? '' : `, ${dollars(todayUsd)} of ${dollars(dailyUsd)} today`}`;
}

function nextLines({ id, status }: ShownCampaign): string[] {
  if (status === 'running')
    return [`pointsman campaign watch ${id}`, `pointsman campaign pause|concurrency|rate|budget|cancel ${id}`];
  return [
    `pointsman campaign export ${id} --out rollouts.jsonl`,
    `pointsman dataset build --name NAME --campaign ${id}`,
  ];
}

/** A rollout in flight as it is seen from outside: what nobody answers for is null. */
export interface LiveRollout {
  readonly id: string;
  readonly instance: string;
  readonly method: string;
  readonly pass: number;
  /** Milliseconds since it was begun. */
  readonly ageMs: number;
  readonly phase: string | null;
  readonly turn: number | null;
  readonly costUsd: number | null;
  /** The last action that was taken. */
  readonly action: string | null;
}

/** What a terminal shows of a campaign that runs: where it is, then a line a rollout, the oldest first. */
export function liveLines(
  progress: CampaignProgress,
  rollouts: readonly LiveRollout[],
  more: number,
  look: Look,
): string[] {
  return [
    ...wrapWords([progressLine(progress)], look.width),
    ...(rollouts.length > 0 ? ['', ...table(rollouts, COLUMNS, look.width).split('\n')] : []),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}

const COLUMNS: readonly Column<LiveRollout>[] = [
  { title: 'INSTANCE', value: ({ instance }) => instance, elastic: true },
  { title: 'METHOD', value: ({ method, pass }) => `${method}/${pass}` },
  { title: 'PHASE', value: ({ phase }) => phase?.toLowerCase() ?? '…' },
  { title: 'STEP', value: ({ turn }) => (turn === null ? '-' : String(turn)), right: true },
  { title: 'COST', value: ({ costUsd }) => (costUsd === null ? '-' : dollars(costUsd)), right: true },
  { title: 'AGE', value: ({ ageMs }) => duration(Math.round(ageMs / 1000) * 1000), right: true, spare: true },
  { title: 'LAST ACTION', value: ({ action }) => action ?? '', elastic: true },
];
