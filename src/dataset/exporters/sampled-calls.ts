import type { SampledTokens } from '../../contract/step';
import { type ModelCall, type Sample, type SampledCall, samplesOf } from '../model-calls';
import type { DatasetRow } from '../row';
import { figuresOf } from '../sampled-figures';
import type { Exported } from './exporter';

/** What records for reinforcement learning are made of. */
export interface Sampled {
  readonly calls: readonly ScoredCall[];
  readonly samples: readonly Sample<ScoredCall>[];
}

/** A call with the log-probability of each of its answer's tokens. */
export interface ScoredCall extends SampledCall {
  readonly tokens: SampledCall['tokens'] & { readonly logprobs: readonly number[] };
}

/**
 * The calls of the trained authors that have all that such a record needs, malformed replies among them: those were sampled
 * from the policy too. What a fork took over is trained where it was made.
 */
export function sampledOf({ metadata, trajectory }: DatasetRow): Sampled | undefined {
  const trained = (trajectory?.calls ?? []).filter(({ author, copied }) => !copied && metadata.train.includes(author));
  const calls = trained.filter(isScored);
  return calls.length === 0 ? undefined : { calls, samples: samplesOf(calls) };
}

function isScored(call: ModelCall & { readonly tokens?: SampledTokens }): call is ScoredCall {
  return call.tokens?.prompt !== undefined && call.tokens.logprobs !== undefined;
}

/** Left out, since no trained call was kept as it was sampled. */
export function withoutTokens({ id, trajectory }: DatasetRow): Exported {
  return { records: [], left: [{ reason: trajectory ? 'no_sampled_tokens' : 'no_trajectory', detail: id }] };
}

/** With the figures that the card tells; calls without tokens are counted as left out. */
export function withFigures(row: DatasetRow, { calls, samples }: Sampled, records: Exported['records']): Exported {
  const all = row.trajectory!.calls;
  const trained = all.filter(({ author, copied }) => !copied && row.metadata.train.includes(author));
  const detail = `${row.id}: a call without tokens`;
  const left = trained.slice(calls.length).map(() => ({ reason: 'no_sampled_tokens' as const, detail }));
  return { records, left, sampled: figuresOf(samples, all) };
}

/** 1 or 0; null where the rollout's end says nothing of its model. */
export function rewardOf({ metadata: { valid, resolved } }: DatasetRow): number | null {
  return valid ? Number(resolved) : null;
}

/** The name of a call, unique in a data set. */
export function callName({ id }: DatasetRow, { turn, attempt }: ModelCall): string {
  return `${id}/${turn}/${attempt}`;
}
