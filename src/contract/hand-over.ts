import { z } from 'zod';
import { Author } from './step';

/**
 * Who authors which turn. Turns count from 1; a format retry is not a turn. `k` student turns are followed by the
 * expert to the end, so `k = 0` is pure behavioural cloning.
 */
const VALUES = {
  /** `k` drawn once per attempt, uniformly over the integers from a to b, both included. The paper: `[0, 30]`. */
  uniform: z
    .tuple([z.int().min(0), z.int().min(0)])
    .refine(([from, to]) => from <= to, 'the first number must not be larger than the second'),
  /** `k` is given. `{at: 0}` is the expert alone. */
  at: z.int().min(0),
  /**
   * Per-turn mixing as in DAgger (Ross et al. 2011): at turn t the expert acts with probability
   * `min(1, initial · decay^(t−1))`, independently of the turns before; the student otherwise.
   */
  beta: z.strictObject({ initial: z.number().min(0).max(1), decay: z.number().min(0) }),
  /** The author of each turn in order; the last one goes on to the end. */
  sequence: z.array(Author).min(1),
  /** The student alone. */
  never: z.literal(true),
};

export type HandOverName = keyof typeof VALUES;
/** What is said beside a policy's name. */
export type HandOverValue<Name extends HandOverName> = z.infer<(typeof VALUES)[Name]>;
export type HandOverPolicy = { [Name in HandOverName]: { [Only in Name]: HandOverValue<Name> } }[HandOverName];

export const HandOverPolicy: z.ZodType<HandOverPolicy> = z.union(
  Object.entries(VALUES).map(([name, value]) => z.strictObject({ [name]: value })) as unknown as readonly [
    z.ZodType<HandOverPolicy>,
    ...z.ZodType<HandOverPolicy>[],
  ],
);

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
