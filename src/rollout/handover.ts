import type { HandOverPolicy, SwitchDraw } from '../contract/hand-over';
import type { Author } from '../contract/step';
import { hashKey, uniformBelow, uniformUnit } from './random';

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

/** The author that a policy needs and a rollout has no profile for, with the policy that would do without; else undefined. */
export function missingAuthor(
  policy: HandOverPolicy,
  { student, expert }: Partial<Record<Author, string>>,
): { readonly author: Author; readonly hint: string } | undefined {
  if (!student && !('at' in policy && policy.at === 0))
    return { author: 'student', hint: 'Only {"handOver": {"at": 0}} runs without a student.' };
  if (!expert && needsExpert(policy))
    return { author: 'expert', hint: 'Only {"handOver": {"never": true}} runs without an expert.' };
  return undefined;
}
