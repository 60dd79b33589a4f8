import { z } from 'zod';
import { Author } from '../contract/step';
import { hashKey, uniformBelow, uniformUnit } from './random';

/**
 * Who authors which turn. Turns count from 1; a format retry is not a turn. `k` student turns are followed by the
 * expert to the end, so `k = 0` is pure behavioural cloning.
 */
export const HandOverPolicy = z.union([
  /** `k` drawn once per attempt, uniformly over the integers from a to b, both included. The paper: `[0, 30]`. */
  z.strictObject({
    uniform: z
      .tuple([z.int().min(0), z.int().min(0)])
      .refine(([from, to]) => from <= to, 'the first number must not be larger than the second'),
  }),
  /** `k` is given. `{at: 0}` is the expert alone. */
  z.strictObject({ at: z.int().min(0) }),
  /**
   * Per-turn mixing as in DAgger (Ross et al. 2011): at turn t the expert acts with probability
   * `min(1, initial · decay^(t−1))`, independently of the turns before; the student otherwise.
   */
  z.strictObject({ beta: z.strictObject({ initial: z.number().min(0).max(1), decay: z.number().min(0) }) }),
  /** The author of each turn in order; the last one goes on to the end. */
  z.strictObject({ sequence: z.array(Author).min(1) }),
  /** The student alone. */
  z.strictObject({ never: z.literal(true) }),
]);
export type HandOverPolicy = z.infer<typeof HandOverPolicy>;

/** What was drawn for one attempt. It is stored with the run, so that the authors are the same in every replay. */
export const SwitchDraw = z.strictObject({
  /** `k`, the student turns before the expert; null where the policy has no single switch. */
  studentTurns: z.int().min(0).nullable(),
  /** Names the random stream of per-turn draws. */
  key: z.string(),
  /** From this turn on the expert acts, because a person said so. */
  forcedAt: z.int().min(1).optional(),
});
export type SwitchDraw = z.infer<typeof SwitchDraw>;

/** Draws what the policy leaves to chance. The same (seed, instance, attempt) always draws the same. */
export function drawSwitch(
  policy: HandOverPolicy,
  seed: number | string,
  instance: string,
  attempt: number,
): SwitchDraw {
  const key = JSON.stringify([seed, instance, attempt]);
  if ('uniform' in policy) {
    const [from, to] = policy.uniform;
    return { studentTurns: from + uniformBelow(hashKey(`switch ${key}`), to - from + 1), key };
  }
  return { studentTurns: 'at' in policy ? policy.at : null, key };
}

/** The author of `turn` (from 1). */
export function authorAt(policy: HandOverPolicy, drawn: SwitchDraw, turn: number): Author {
  if (drawn.forcedAt !== undefined && turn >= drawn.forcedAt) return 'expert';
  if (drawn.studentTurns !== null) return turn <= drawn.studentTurns ? 'student' : 'expert';
  if ('beta' in policy) {
    const expertShare = Math.min(1, policy.beta.initial * policy.beta.decay ** (turn - 1));
    return uniformUnit(hashKey(`turn ${turn} ${drawn.key}`)) < expertShare ? 'expert' : 'student';
  }
  if ('sequence' in policy) return policy.sequence[Math.min(turn, policy.sequence.length) - 1] ?? 'student';
  return 'student';
}

/** Hands over from `turn` (the next one to be made) to the end. A hand-over that came earlier stays. */
export function handOverAt(drawn: SwitchDraw, turn: number): SwitchDraw {
  return { ...drawn, forcedAt: Math.min(turn, drawn.forcedAt ?? turn) };
}

/** Whether some turn may need an expert, so that a rollout without one can be refused before it starts. */
export function needsExpert(policy: HandOverPolicy): boolean {
  if ('never' in policy) return false;
  if ('beta' in policy) return policy.beta.initial > 0;
  return !('sequence' in policy) || policy.sequence.includes('expert');
}
