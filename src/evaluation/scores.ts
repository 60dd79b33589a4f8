import { type CandidateOutcome, NO_SAMPLE, type ProblemEntry } from '../contract';

/** One problem with what its first answers came to. */
export interface ProblemScore {
  readonly problem: ProblemEntry;
  /** Answers that were judged (n), and those of them that passed (c). */
  readonly judged: number;
  readonly passed: number;
}

/** First answers by problem, in the order of the problems; outages are no samples. */
export function scoresOf(problems: readonly ProblemEntry[], outcomes: readonly CandidateOutcome[]): ProblemScore[] {
  const counts = new Map<string, { judged: number; passed: number }>();
  for (const { problem, repair, verdict, passed } of outcomes) {
    if (repair > 0 || NO_SAMPLE.includes(verdict)) continue;
    const count = counts.get(problem) ?? { judged: 0, passed: 0 };
    counts.set(problem, { judged: count.judged + 1, passed: count.passed + (passed ? 1 : 0) });
  }
  return problems.map((problem) => ({ problem, ...(counts.get(problem.id) ?? { judged: 0, passed: 0 }) }));
}

/** One line for one candidate: by problem, sample and repair. Code units, so that no locale changes the order. */
export function byPlace(a: CandidateOutcome, b: CandidateOutcome): number {
  if (a.problem !== b.problem) return a.problem < b.problem ? -1 : 1;
  return a.sample - b.sample || a.repair - b.repair;
}

/** A problem to repair: its place in the set, and the answer that the conversation begins with. */
export interface RepairStart {
  readonly problem: number;
  readonly sample: number;
}

/**
 * Problems that were judged and not solved by any sample, in their order. Each begins with the answer that came closest: most
 * cases passed, the earliest of those. An unreadable one is only taken where there is no other.
 */
export function repairStarts(
  problems: readonly ProblemEntry[],
  outcomes: readonly CandidateOutcome[],
): (RepairStart & { readonly outcome: CandidateOutcome })[] {
  const closest = new Map<string, CandidateOutcome>();
  for (const outcome of outcomes) {
    if (outcome.repair > 0 || outcome.reply === null) continue;
    const known = closest.get(outcome.problem);
    if (!known || byCloseness(outcome, known) < 0) closest.set(outcome.problem, outcome);
  }
  return scoresOf(problems, outcomes).flatMap(({ problem: { id }, judged, passed }, at) => {
    const outcome = closest.get(id);
    return judged > 0 && passed === 0 && outcome ? [{ problem: at, sample: outcome.sample, outcome }] : [];
  });
}

function byCloseness(a: CandidateOutcome, b: CandidateOutcome): number {
  return Number(b.code !== null) - Number(a.code !== null) || b.cases.passed - a.cases.passed || byPlace(a, b);
}

/** How many conversations of self-repair have solved their problem after each iteration; the first entry is 0 by definition. */
export function solvedAfter(outcomes: readonly CandidateOutcome[], iterations: number): number[] {
  const at = outcomes.filter(({ repair, passed }) => repair > 0 && passed).map(({ repair }) => repair);
  return Array.from({ length: iterations + 1 }, (_, iteration) => at.filter((each) => each <= iteration).length);
}
