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

/**
 * Endings of a student that may be its own alone: replies that cannot be read, a history over its window, a provider that
 * refuses.
 */
const StudentEnding = z.enum(['format_exhausted', 'limit_context', 'model_rejected']);
type StudentEnding = z.infer<typeof StudentEnding>;

/** Why the expert took over: the policy's own draw or count, a person, or how the student ended. */
export const HandOverReason = z.enum(['policy', 'person', ...StudentEnding.options]);
export type HandOverReason = z.infer<typeof HandOverReason>;

/**
 * With `on`, a student that ends so ends its own part and not the rollout: the expert goes on at that turn. Such a switch
 * is on-policy, but not random. The paper has none.
 */
const on = z.array(StudentEnding).readonly().optional();

export type HandOverName = keyof typeof VALUES;
/** What is said beside a policy's name. */
export type HandOverValue<Name extends HandOverName> = z.infer<(typeof VALUES)[Name]>;
export type HandOverPolicy = {
  [Name in HandOverName]: { [Only in Name]: HandOverValue<Name> } & { readonly on?: readonly StudentEnding[] };
}[HandOverName];

const formOf = (name: string, value: z.ZodType) =>
  z.strictObject({ [name]: value, on }) as unknown as z.ZodType<HandOverPolicy>;
const [first, ...others] = Object.entries(VALUES).map(([name, value]) => formOf(name, value));
const forms: [z.ZodType<HandOverPolicy>, ...z.ZodType<HandOverPolicy>[]] = [first!, ...others];

export const HandOverPolicy: z.ZodType<HandOverPolicy> = z.union(forms);

/** Lets inputs say a policy of an extension. For the start of a process: the union reads its list at each parse. */
export function addHandOverValue(name: string, value: z.ZodType): void {
  forms.push(formOf(name, value));
}

/** What was drawn for one attempt. It is stored with the run, so that the authors are the same in every replay. */
export const SwitchDraw = z.strictObject({
  /** `k`, the student turns before the expert; null where the policy has no single switch. */
  studentTurns: z.int().min(0).nullable(),
  /** Names the random stream of per-turn draws. */
  key: z.string(),
  /** From this turn on the expert acts, for the reason in `forcedBy` (a person, where there is none). */
  forcedAt: z.int().min(1).optional(),
  forcedBy: HandOverReason.optional(),
});
export type SwitchDraw = z.infer<typeof SwitchDraw>;
