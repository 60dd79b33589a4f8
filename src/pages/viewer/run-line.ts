import type { RolloutResult, RolloutRow } from '../../contract';
import { lossOf } from '../../dataset/losses';
import type { RunLine } from './payload';

/** A campaign's row as a line of the list. */
export function lineOfRow(row: RolloutRow): RunLine {
  const { result } = row;
  return {
    id: row.id,
    kind: 'rollout',
    instance: row.instance,
    method: row.method,
    pass: row.pass,
    status: row.outcome === 'finished' && result ? result.status : row.outcome,
    student: row.student,
    expert: row.expert,
    ...resultFigures(result),
    seconds: row.seconds,
    startedAt: null,
    loss: lossOf(row)?.reason ?? null,
    dataset: null,
    note: row.error ?? result?.detail ?? null,
  };
}

type Figures = Pick<RunLine, 'resolved' | 'k' | 'expertFrom' | 'handOverReason' | 'turns' | 'usd' | 'tokens'>;

/** What a result says in numbers; nothing where there is none. */
export function resultFigures(result: RolloutResult | null): Figures {
  if (!result) {
    const none = { expertFrom: null, handOverReason: null };
    return { resolved: null, k: null, ...none, turns: null, usd: null, tokens: null };
  }
  const { resolved, handOver, turns, cost } = result;
  return {
    resolved,
    k: handOver.sampled,
    expertFrom: handOver.expertFrom,
    handOverReason: handOver.reason === 'policy' ? null : (handOver.reason ?? null),
    turns: { total: turns.total, student: turns.student, expert: turns.expert, refused: turns.formatRetries },
    usd: cost.usd,
    tokens: cost.tokens,
  };
}
