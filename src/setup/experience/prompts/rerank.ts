import { z } from 'zod';
import type { Situation, Suggestion } from '../../../contract';
import { DATA_RULE, data, JSON_RULE, type Prompt } from './prompt';

export const RerankAnswer = z.object({
  chosen: z.array(z.object({ unit: z.string(), why: z.string() })).default([]),
});
export type RerankAnswer = z.infer<typeof RerankAnswer>;

export function rerankPrompt(suggestions: readonly Suggestion[], situation: Situation, k = 3): Prompt {
  return {
    system: [
      'You choose notes from earlier repository set-ups for a colleague whose set-up is stuck.',
      'Rules, in this order:',
      '1. A note about exactly this error comes first.',
      '2. The record (worked / failed) is a reference: it decides between notes that fit equally well. Failures in another situation are no reason to drop a note that fits this one.',
      '3. Drop every note that does not bear on this error. An empty list is a good answer.',
      `4. At most ${k} notes.`,
      DATA_RULE,
      `${JSON_RULE} Its form: {"chosen": [{"unit": "ID", "why": "one sentence"}]}`,
    ].join('\n'),
    user: [
      data('situation', situation.summary, 1_500),
      data('command', situation.command ?? '(none)', 1_000),
      data('error', situation.error),
      ...suggestions.map(({ unit, advice, matched, similarity, telemetry }) => {
        const record = telemetry ? `worked ${telemetry.successes}, failed ${telemetry.failures}` : 'no record';
        return data(
          'note',
          `id: ${unit}\nsimilarity: ${similarity.toFixed(2)} (${matched.join(', ')})\nrecord: ${record}\n${advice.join('\n')}`,
          1_500,
        );
      }),
    ].join('\n\n'),
  };
}

/** A model's choice as it may be used: only what was offered, each once, at most `k`. */
export function checkedChoice(offered: readonly Suggestion[], answer: RerankAnswer, k = 3): RerankAnswer['chosen'] {
  const known = new Set(offered.map(({ unit }) => unit));
  const chosen = answer.chosen.filter(({ unit }) => known.delete(unit));
  return chosen.slice(0, k);
}
