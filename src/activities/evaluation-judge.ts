import { CaseOutcome, type FunctionInstance, type SandboxProfile } from '../contract';
import { runCandidate } from '../harness/measure';
import type { CandidateJudgement } from '../problems/harness/validity';
import type { Owner } from '../sandbox/labels';
import type { Deps } from './deps';
import { harnessImageOf } from './harness-image';

export interface Judging {
  readonly owner: Owner;
  /** Names the containers within the run. */
  readonly role: string;
  readonly problem: FunctionInstance;
  /** The candidate, as it was read from an answer. */
  readonly source: string;
  readonly profile: SandboxProfile;
  readonly secondsPerCase: number;
}

/** Runs a problem's harness on a candidate in a fresh container of this host. Throws for outages only. */
export async function judgedIn(deps: Deps, judging: Judging, signal: AbortSignal): Promise<CandidateJudgement> {
  const { owner, role, problem, source: candidate, profile, secondsPerCase } = judging;
  const { subject, harness } = problem;
  const { image } = await harnessImageOf(deps, owner, problem.environment, subject, signal);
  const expected = problem.expected.map((each) => CaseOutcome.parse(each));
  const bench = { owner, role, image, subject, profile, seed: problem.seed ?? 0, secondsPerCase };
  return runCandidate(deps, bench, { harness, expected, candidate }, signal);
}
