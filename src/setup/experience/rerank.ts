import type { Situation, Suggestion } from '../../contract';

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
