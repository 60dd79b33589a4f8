import type {
  Author,
  ExitStatus,
  HandOverName,
  HandOverPolicy,
  HandOverReason,
  HandOverValue,
  SwitchDraw,
} from '../contract';
import { hashKey, uniformBelow, uniformUnit } from './random';

/** One way to decide who authors which turn. Pure: the same (policy, draw, turn) always gives the same author. @public to policies from outside. */
export interface Policy<Value> {
  /** Student turns before the expert, drawn once an attempt; null where the policy has no single switch. */
  draw(value: Value, key: string): number | null;
  /** The author of `turn` (from 1); asked only where there is no single switch. */
  author?(value: Value, turn: number, key: string): Author;
  /** Who may have to act, so that a rollout without that profile is refused before it starts. */
  needs(value: Value): readonly Author[];
  /** Whether chance draws the switch: statistics over k count such rollouts alone. */
  readonly draws?: true;
}

const BOTH = ['student', 'expert'] as const;

/** Every policy by its name. */
export const POLICIES: { readonly [Name in HandOverName]: Policy<HandOverValue<Name>> } = {
  uniform: {
    draw: ([from, to], key) => from + uniformBelow(hashKey(`switch ${key}`), to - from + 1),
    needs: () => BOTH,
    draws: true,
  },
  at: { draw: (k) => k, needs: (k) => (k === 0 ? ['expert'] : BOTH) },
  beta: {
    draw: () => null,
    author({ initial, decay }, turn, key) {
      const expertShare = Math.min(1, initial * decay ** (turn - 1));
      return uniformUnit(hashKey(`turn ${turn} ${key}`)) < expertShare ? 'expert' : 'student';
    },
    needs: ({ initial }) => (initial > 0 ? BOTH : ['student']),
  },
  sequence: {
    draw: () => null,
    author: (authors, turn) => authors[Math.min(turn, authors.length) - 1] ?? 'student',
    needs: (authors) => (authors.includes('expert') ? BOTH : ['student']),
  },
  never: { draw: () => null, needs: () => ['student'] },
};

/** A policy with its value: beside its name it has `on` alone. */
function read({ on, ...policy }: HandOverPolicy): { of: Policy<unknown>; value: unknown; needs: readonly Author[] } {
  const [[name, value]] = Object.entries(policy) as [[HandOverName, unknown]];
  const of = POLICIES[name] as Policy<unknown>;
  return { of, value, needs: on && on.length > 0 ? BOTH : of.needs(value) };
}

/** Draws what the policy leaves to chance. The same (seed, instance, attempt) always draws the same. */
export function drawSwitch(
  policy: HandOverPolicy,
  seed: number | string,
  instance: string,
  attempt: number,
): SwitchDraw {
  const key = JSON.stringify([seed, instance, attempt]);
  const { of, value } = read(policy);
  return { studentTurns: of.draw(value, key), key };
}

/** The author of `turn` (from 1). */
export function authorAt(policy: HandOverPolicy, drawn: SwitchDraw, turn: number): Author {
  if (drawn.forcedAt !== undefined && turn >= drawn.forcedAt) return 'expert';
  if (drawn.studentTurns !== null) return turn <= drawn.studentTurns ? 'student' : 'expert';
  const { of, value } = read(policy);
  return of.author?.(value, turn, drawn.key) ?? 'student';
}

/** Hands over from `turn` (the next one to be made) to the end. A hand-over that came earlier stays. */
export function handOverAt(drawn: SwitchDraw, turn: number, forcedBy: HandOverReason): SwitchDraw {
  return drawn.forcedAt !== undefined && drawn.forcedAt <= turn ? drawn : { ...drawn, forcedAt: turn, forcedBy };
}

/** Whether the expert goes on where `author` ended so: the policy says it of the student alone. */
export function takesOver(
  { on }: HandOverPolicy,
  author: Author,
  ending: ExitStatus,
): ending is HandOverReason & ExitStatus {
  return author === 'student' && (on as readonly ExitStatus[] | undefined)?.includes(ending) === true;
}

/** Why the expert acts from `turn` on. */
export function handOverReason({ forcedAt, forcedBy }: SwitchDraw, turn: number): HandOverReason {
  return forcedAt === turn ? (forcedBy ?? 'person') : 'policy';
}

/** Whether some turn may need an expert. */
export function needsExpert(policy: HandOverPolicy): boolean {
  return read(policy).needs.includes('expert');
}

/** Whether chance draws the switch index of each attempt. */
export function drawsSwitch(policy: HandOverPolicy): boolean {
  return read(policy).of.draws === true;
}

/** The author that a policy needs and a rollout has no profile for, with the policy that would do without; else undefined. */
export function missingAuthor(
  policy: HandOverPolicy,
  profiles: Partial<Record<Author, string>>,
): { readonly author: Author; readonly hint: string } | undefined {
  const author = read(policy).needs.find((who) => !profiles[who]);
  return author && { author, hint: WITHOUT[author] };
}

const WITHOUT: Readonly<Record<Author, string>> = {
  student: 'Only {"handOver": {"at": 0}} runs without a student.',
  expert: 'Only {"handOver": {"never": true}} runs without an expert.',
};
