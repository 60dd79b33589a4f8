import { type Funnel, FunnelStage, HandOverReason, LossReason, type RolloutRow } from '../contract';
import { type Loss, laterLoss, lossOf, type RowFilters } from './losses';

export interface MethodFunnel {
  readonly method: string;
  readonly funnel: Funnel;
}

/** What rows alone decide; the stages after it need the chains, and what else is in the data set. */
const LAST_OF_ROWS: FunnelStage = 'not_doubtful';

/**
 * The funnel of each method, by name. `later` says why rows that passed are not in the data set (by row id); without it the
 * funnels end at `not_doubtful`. What a row shows stands over what `later` says of it.
 *
 * The counts sum: a stage holds what the stage before held without its own losses.
 */
export function funnelsOf(
  rows: Iterable<RolloutRow>,
  later?: ReadonlyMap<string, LossReason>,
  filters?: RowFilters,
): MethodFunnel[] {
  const methods = new Map<string, { planned: number; losses: Loss[]; handOvers: HandOverReason[] }>();
  for (const row of rows) {
    const tally = methods.get(row.method) ?? { planned: 0, losses: [], handOvers: [] };
    methods.set(row.method, tally);
    tally.planned += 1;
    const reason = later?.get(row.id);
    const loss = lossOf(row, filters) ?? (reason && laterLoss(reason));
    if (loss) tally.losses.push(loss);
    const { student = 0, expert = 0 } = row.result?.turns ?? {};
    const { reason: why, expertFrom } = row.result?.handOver ?? {};
    if (expert > 0 && (student > 0 || expertFrom !== 1)) tally.handOvers.push(why ?? 'policy');
  }
  const stages = later ? FunnelStage.options : FunnelStage.options.slice(0, at(LAST_OF_ROWS) + 1);
  return [...methods]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([method, { planned, losses, handOvers }]) => {
      const funnel = funnelOf(planned, losses, stages);
      return { method, funnel: handOvers.length > 0 ? { ...funnel, handOvers: handOverCounts(handOvers) } : funnel };
    });
}

/** Hand-overs for another reason than the policy's, in words; empty where there are none. */
export function otherHandOvers(counts: Funnel['handOvers'] = {}): string {
  return HandOverReason.options
    .filter((reason) => reason !== 'policy' && counts[reason])
    .map((reason) => `${reason.replaceAll('_', ' ')} ${counts[reason]}`)
    .join(', ');
}

function handOverCounts(reasons: readonly HandOverReason[]): Funnel['handOvers'] {
  const counts: Funnel['handOvers'] = {};
  for (const reason of reasons) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}

/** Several funnels as one, for a line of totals. They must have the same stages. */
export function summed(funnels: readonly Funnel[]): Funnel {
  const losses = funnels.flatMap((funnel) => funnel.losses);
  const handOvers = funnels.flatMap((funnel) =>
    HandOverReason.options.flatMap((reason) => Array<HandOverReason>(funnel.handOvers?.[reason] ?? 0).fill(reason)),
  );
  return {
    stages: (funnels[0]?.stages ?? []).map(({ stage }, i) => ({
      stage,
      count: funnels.reduce((sum, funnel) => sum + (funnel.stages[i]?.count ?? 0), 0),
    })),
    losses: counted(losses.flatMap(({ count, ...loss }) => Array<Loss>(count).fill(loss))),
    ...(handOvers.length > 0 ? { handOvers: handOverCounts(handOvers) } : {}),
  };
}

function funnelOf(planned: number, losses: readonly Loss[], stages: readonly FunnelStage[]): Funnel {
  const reached = (stage: FunnelStage) => planned - losses.filter((loss) => at(loss.stage) <= at(stage)).length;
  return { stages: stages.map((stage) => ({ stage, count: reached(stage) })), losses: counted(losses) };
}

/** In the order of the stages, then of the reasons. */
function counted(losses: readonly Loss[]): Funnel['losses'] {
  const counts = new Map<string, Funnel['losses'][number]>();
  for (const { stage, reason } of losses) {
    const key = `${stage} ${reason}`;
    counts.set(key, { stage, reason, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()].sort(
    (a, b) => at(a.stage) - at(b.stage) || LossReason.options.indexOf(a.reason) - LossReason.options.indexOf(b.reason),
  );
}

function at(stage: FunnelStage): number {
  return FunnelStage.options.indexOf(stage);
}
