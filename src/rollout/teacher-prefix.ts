/**
 * Teacher prefixes (back-to-front curricula): the student goes on behind the first k steps of a trajectory that an expert solved.
 * k begins near its end, falls as the share of passes rises, and is 0 at the last level: then the problem is the student's alone.
 */
export interface PrefixSchedule {
  /** Levels from the shortest part of the student's to the whole. */
  readonly levels: number;
  /** Graded outcomes at a level before it changes. */
  readonly outcomes: number;
  /** Share of them that must have passed for the next level. */
  readonly advance: number;
}

/** Where one instance stands. */
export interface PrefixLevel {
  /** From 1. */
  readonly level: number;
  /** Graded outcomes at this level, and those that passed. */
  readonly graded: number;
  readonly resolved: number;
}

export const FIRST_LEVEL: PrefixLevel = { level: 1, graded: 0, resolved: 0 };

/** Steps of the teacher's that are kept at a level, of a trajectory of so many: the student has at least the last one. */
export function keptSteps(steps: number, level: number, { levels }: Pick<PrefixSchedule, 'levels'>): number {
  return Math.max(0, steps - Math.max(1, Math.ceil((steps * level) / levels)));
}

/** The level after one more graded outcome: on where enough passed, back where none did. */
export function levelAfter(before: PrefixLevel, passed: boolean, schedule: PrefixSchedule): PrefixLevel {
  const at = { ...before, graded: before.graded + 1, resolved: before.resolved + (passed ? 1 : 0) };
  if (at.graded < schedule.outcomes) return at;
  const rate = at.resolved / at.graded;
  const change = rate >= schedule.advance ? 1 : rate === 0 ? -1 : 0;
  return { level: Math.min(schedule.levels, Math.max(1, at.level + change)), graded: 0, resolved: 0 };
}
