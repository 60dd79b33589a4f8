import type { CampaignProgress } from '../../contract';
import { wrapWords } from '../columns';
import { dollars, duration } from '../figures';
import type { Look } from '../shown-run';
import { type Column, table } from '../table';
import { progressLine } from './report';

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
