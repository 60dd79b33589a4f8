import type { ExperienceUnit, RepositoryFacts, Situation, Suggestion } from '../../contract';
import { applies, runtimeFit } from './applicability';
import { reliability } from './reliability';
import { evidenceOf, type PatternHits, signalHits } from './signals';

/** A unit with what the store found out about it. */
export interface Candidate {
  readonly unit: ExperienceUnit;
  /** Cosine to the situation; null where it was below the threshold or not asked for. */
  readonly cosine: number | null;
  /** Rank of the full-text search, 0..1; null where it was not found. */
  readonly text: number | null;
  readonly patterns: PatternHits;
}

export interface RankOptions {
  /** Ids that are not to be offered: shown or tried for this error. */
  readonly exclude?: readonly string[];
  readonly limit?: number;
}

export type Ranked = Omit<Suggestion, 'commands'>;

/** Vectors further apart than this say nothing. */
export const NEAR = 0.45;
/** A unit that has never worked anywhere else is offered behind those that have. */
const PROBATION = 0.6;
const OTHER_MINOR_VERSION = 0.85;
const SHARED_TOOL = 0.02;

/**
 * Layer one of retrieval: candidates that may apply, best first, by similarity × reliability. Similarity is the strongest
 * of what was found, not their sum: three weak hints are no exact match.
 */
export function rank(
  candidates: readonly Candidate[],
  situation: Situation,
  facts: RepositoryFacts,
  { exclude = [], limit = 10 }: RankOptions = {},
): Ranked[] {
  const evidence = evidenceOf(situation);
  const hidden = new Set(exclude);
  return candidates
    .filter(({ unit }) => !hidden.has(unit.id) && applies(unit.signals.applicability, facts))
    .flatMap(({ unit, cosine, text, patterns }) => {
      const hits = signalHits(unit.signals, evidence, patterns);
      const strengths = hits.map(({ strength }) => strength);
      if (cosine !== null && cosine >= NEAR) strengths.push(cosine);
      if (text !== null) strengths.push(0.25 + 0.25 * text);
      if (strengths.length === 0) return [];
      const tools = unit.signals.applicability.tools.filter((tool) => facts.tools.includes(tool));
      const similarity = Math.min(1, Math.max(...strengths) + SHARED_TOOL * Math.min(3, tools.length));
      const trust = reliability(unit.telemetry);
      const demoted =
        (unit.status === 'quarantined' ? PROBATION : 1) *
        (runtimeFit(unit.signals.applicability, facts) === 'near' ? OTHER_MINOR_VERSION : 1);
      return [
        {
          unit: unit.id,
          advice: unit.advice_nl,
          atoms: unit.atoms,
          similarity,
          reliability: trust * demoted,
          score: similarity * trust * demoted,
          matched: [
            ...hits.map(({ matched }) => matched),
            ...(cosine !== null && cosine >= NEAR ? ['vector'] : []),
            ...(text === null ? [] : ['text']),
            ...tools.map((tool) => `tool:${tool}`),
          ],
          telemetry: unit.telemetry,
        },
      ];
    })
    .sort((a, b) => b.score - a.score || compare(a.unit, b.unit))
    .slice(0, limit);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export interface Chosen {
  readonly unit: string;
  readonly why: string;
}

/** A hint this weak (a bare word, a similar tone) is dropped rather than shown. */
const RELEVANT = 0.55;

/**
 * Layer two without a model, by the paper's four rules: an exact match comes first; telemetry orders but excludes nothing
 * that matches; what is not relevant is dropped; at most `k`. Choosing none is an answer.
 */
export function rerankByRules(suggestions: readonly Suggestion[], _situation: Situation, k = 3): { chosen: Chosen[] } {
  const relevant = suggestions.flatMap((suggestion) => {
    const exact = suggestion.matched.find((each) => each.startsWith('regex:'));
    const precise = exact !== undefined && suggestion.similarity >= RELEVANT;
    if (!precise && suggestion.similarity < RELEVANT) return [];
    return [{ suggestion, precise, why: whyOf(suggestion, precise ? exact : undefined) }];
  });
  return {
    chosen: relevant
      .sort((a, b) => Number(b.precise) - Number(a.precise) || b.suggestion.score - a.suggestion.score)
      .slice(0, k)
      .map(({ suggestion, why }) => ({ unit: suggestion.unit, why })),
  };
}

function whyOf({ matched, similarity, telemetry }: Suggestion, exact: string | undefined): string {
  const tried = telemetry ? telemetry.successes + telemetry.failures : 0;
  const record = tried > 0 ? `; worked ${telemetry!.successes} of ${tried} times` : '';
  const reason = exact
    ? `its pattern ${exact.slice('regex:'.length)} is in the error`
    : `similar (${similarity.toFixed(2)}): ${matched.slice(0, 3).join(', ')}`;
  return `${reason}${record}`;
}
