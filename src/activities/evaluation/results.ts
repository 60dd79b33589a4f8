import { CandidateOutcome, type EvaluationResult, type EvaluationStatus, type Ref } from '../../contract';
import type { Deps } from '../../deps';
import { reportOf } from '../../evaluation/report';
import { byPlace, repairStarts } from '../../evaluation/scores';
import { summaryOf } from '../../evaluation/summary';
import { hashKey, uniformUnit } from '../../rollout/random';
import { withHeartbeat } from '../heartbeat';
import { outcomesIn, shelve } from '../outcome-pages';
import { ProblemSets } from './problems';

/** Where a conversation of self-repair begins. */
export interface RepairPlace {
  readonly problem: string;
  readonly at: number;
  readonly sample: number;
  /** Blob of the outcome that it begins with. */
  readonly outcome: string;
}

export interface ConcludeInput
  extends Pick<EvaluationResult, 'solver' | 'context' | 'planFirst' | 'samples' | 'problemSet'> {
  readonly status: EvaluationStatus;
  readonly pages: readonly Ref[];
  readonly k: readonly number[];
  readonly repairs: number;
  readonly seed: number;
}

/** What is done with outcomes once candidates have run. All of it reads and writes content-addressed blobs only: safe to retry. */
export function createEvaluationResultActivities({ blobs, roots }: Deps) {
  const sets = new ProblemSets(blobs, roots);

  async function outcomesOf(pages: readonly Ref[]): Promise<CandidateOutcome[]> {
    return (await outcomesIn(blobs, CandidateOutcome, pages)).sort(byPlace);
  }

  return {
    /** Outcomes that have come become a page. */
    async shelveOutcomes({ outcomes }: { outcomes: readonly string[] }): Promise<Ref> {
      return withHeartbeat(() => shelve(blobs, outcomes));
    },

    /** Problems that no first answer solved, each with the answer that its repair begins with. */
    async planRepairs(input: { problemSet: Ref; pages: readonly Ref[] }): Promise<{ plan: Ref; problems: number }> {
      return withHeartbeat(async () => {
        const problems = await sets.entries(input.problemSet);
        const starts = repairStarts(problems, await outcomesOf(input.pages));
        const places = await Promise.all(
          starts.map(async ({ problem: at, sample, outcome }): Promise<RepairPlace> => {
            const { sha256 } = await blobs.put(JSON.stringify(outcome));
            return { problem: outcome.problem, at, sample, outcome: sha256 };
          }),
        );
        return { plan: await blobs.put(JSON.stringify(places)), problems: places.length };
      });
    },

    async repairAt({ plan, unit }: { plan: Ref; unit: number }): Promise<RepairPlace> {
      const places = JSON.parse((await blobs.get(plan.sha256)).toString('utf8')) as RepairPlace[];
      return places[unit]!;
    },

    /** The figures of all outcomes, their one sorted file, and the report. */
    async concludeEvaluation(input: ConcludeInput): Promise<Omit<EvaluationResult, 'id'>> {
      return withHeartbeat(async () => {
        const { pages, k, repairs, seed, ...about } = input;
        const [problems, outcomes] = [await sets.entries(input.problemSet), await outcomesOf(pages)];
        const stream = hashKey(`bootstrap ${seed}`);
        const summary = summaryOf({ problems, outcomes, k, repairs }, () => uniformUnit(stream));
        const candidates = await blobs.put(outcomes.map((outcome) => `${JSON.stringify(outcome)}\n`).join(''));
        const result = { ...about, ...summary, candidates };
        return { ...result, report: await blobs.put(reportOf(result)) };
      });
    },
  };
}
