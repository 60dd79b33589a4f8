import { z } from 'zod';
import type { ExperienceDraft, ExperienceUnit, Judgement } from '../../../contract';
import { DATA_RULE, data, JSON_RULE, type Prompt } from './prompt';

export const SameAnswer = z.object({
  same: z.boolean(),
  /** The merged advice, where they are the same; as long as a unit's may be. */
  advice: z.array(z.string().min(1).max(2_000)).max(5).default([]),
  why: z.string().default(''),
});
export type SameAnswer = z.infer<typeof SameAnswer>;

export function samePrompt(draft: ExperienceDraft, nearest: ExperienceUnit): Prompt {
  return {
    system: [
      'Two notes about repository set-ups look alike. Decide whether they are the same: the same root cause and the same idea of a fix.',
      'The same words with another cause are different; so is the same cause with another fix.',
      'If they are the same, also write the advice of the joined note: one to five sentences that keep what is useful of both, without repetition.',
      DATA_RULE,
      `${JSON_RULE} Its form: {"same": true | false, "advice": ["..."], "why": "one sentence"}`,
    ].join('\n'),
    user: [data('known-note', noteText(nearest)), data('new-note', noteText(draft))].join('\n\n'),
  };
}

function noteText({ signals, advice_nl, atoms }: ExperienceDraft | ExperienceUnit): string {
  return JSON.stringify({ signals, advice_nl, atoms }, null, 1);
}

/** The answer as a judgement on the neighbour as it was when it was asked about. */
export function judgementOf(answer: SameAnswer, nearest: ExperienceUnit): Judgement {
  return {
    nearest: nearest.id,
    version: nearest.version ?? 1,
    same: answer.same,
    ...(answer.same && answer.advice.length > 0 ? { advice: answer.advice } : {}),
    why: answer.why,
  };
}
