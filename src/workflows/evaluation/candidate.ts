import type { Asking, CandidatePlace } from '../../activities/evaluation/answer';
import type { Answered, Candidate, KeepInput, Settled } from '../../activities/evaluation/evaluation';
import type { EvaluationInput, Queues, Ref } from '../../contract';
import type { Owner } from '../../sandbox/labels';
import { codeOf, isCancellation, messageOf } from '../durable/failures';
import type { ModelQueue } from '../durable/retry';
import type { Steering } from '../durable/steering';
import { evaluationStore, judgeActivities, solverActivities } from './activities';

/** What all candidates of an evaluation share. */
export interface CandidateGround {
  readonly input: EvaluationInput;
  readonly owner: Owner;
  readonly queues: Queues;
  /** Where the solver is asked. */
  readonly solverQueue: ModelQueue;
  readonly problemSet: Ref;
  readonly problems: number;
  readonly steering: Steering;
  /** The cap may change while it runs. */
  asking(): Asking;
  /** Counts what a call cost, whatever comes of its answer. */
  spent(cost: Answered['cost']): void;
  /** The budget has nothing left. */
  exhausted(): void;
}

/** Trouble of one candidate is its own; so much in a row is everybody's. */
const IN_A_ROW = 3;
/** Codes that say: not this one, not ever. Everything else is trouble that somebody can mend. */
const FINAL: readonly (string | undefined)[] = [
  'ModelRejected',
  'InvalidInput',
  'NotFound',
  'DigestMismatch',
  'TooLarge',
];

/**
 * Asks for candidates and has them judged. What cannot be answered or judged for good becomes an outcome that counts as
 * nothing; an outage, or refusals of one candidate after another (a key that was withdrawn, an image that is gone), parks the
 * window, so that a thousand candidates do not go the same way.
 */
export class Candidates {
  private refusals = 0;
  private failures = 0;

  constructor(private readonly ground: CandidateGround) {}

  /** One candidate from question to verdict; undefined when the evaluation ended under it. */
  async solve(place: CandidatePlace, earlier: readonly string[]): Promise<Settled | undefined> {
    const answered = await this.answer(place, earlier);
    if (!answered) return undefined;
    this.ground.spent(answered.cost);
    return 'outcome' in answered ? answered : this.judge(place, answered);
  }

  /** Self-repair: the conversation goes on until a candidate passes, or so many times. Gives each outcome as it comes. */
  async *repair(at: number, sample: number, outcome: string): AsyncGenerator<Settled> {
    const earlier = [outcome];
    for (let repair = 1; repair <= this.ground.input.repairs; repair++) {
      const settled = await this.solve({ at, sample, repair }, earlier);
      if (!settled) return;
      yield settled;
      // Of what was not run there is nothing to tell.
      if (settled.passed || ['too_long', 'unanswered', 'unjudged'].includes(settled.verdict)) return;
      earlier.push(settled.outcome);
    }
  }

  private async answer(place: CandidatePlace, earlier: readonly string[]): Promise<Answered | undefined> {
    const { owner, problemSet, problems, solverQueue, steering, asking, exhausted } = this.ground;
    for (;;) {
      const asked = asking();
      try {
        const summary = `problem ${place.at + 1} of ${problems} · ${nameOf(place)}`;
        const answered = await solverActivities(solverQueue).answerProblem.executeWithOptions({ summary }, [
          { run: owner.firstRunId, problemSet, place, asking: asked, earlier },
        ]);
        this.refusals = 0;
        return answered;
      } catch (error) {
        if (isCancellation(error)) throw error;
        if (codeOf(error) === 'BudgetExhausted') {
          // Raised while this call waited: it was asked with the cap of before.
          if (asking().budget?.capUsd !== asked.budget?.capUsd) continue;
          exhausted();
          return undefined;
        }
        if (FINAL.includes(codeOf(error)) && ++this.refusals <= IN_A_ROW)
          return { ...(await this.without('unanswered', place, messageOf(error), NOTHING)), cost: NOTHING.cost };
        await steering.park(`${asked.solver} cannot be asked: ${messageOf(error)}`);
        if (steering.abandoned) return undefined;
        this.refusals = 0;
      }
    }
  }

  private async judge(place: CandidatePlace, candidate: Candidate): Promise<Settled | undefined> {
    const { owner, queues, problemSet, steering } = this.ground;
    const { sandbox: profile, secondsPerCase } = this.ground.input;
    const { problem } = candidate;
    for (;;) {
      try {
        const settled = await judgeActivities(queues).judgeCandidate.executeWithOptions(
          { summary: `${problem} · ${nameOf(place)}`.slice(0, 120) },
          [{ owner, problemSet, place, candidate, profile, secondsPerCase }],
        );
        this.failures = 0;
        return settled;
      } catch (error) {
        if (isCancellation(error)) throw error;
        if (FINAL.includes(codeOf(error)) && ++this.failures <= IN_A_ROW)
          return this.without('unjudged', place, messageOf(error), candidate);
        await steering.park(`${problem} cannot be run: ${messageOf(error)}`);
        if (steering.abandoned) return undefined;
        this.failures = 0;
      }
    }
  }

  /** An outcome in place of one that never came. */
  private without(
    verdict: KeepInput['verdict'],
    place: CandidatePlace,
    detail: string,
    { code, reply, cost }: KeepInput['given'],
  ): Promise<Settled> {
    const { problemSet } = this.ground;
    return evaluationStore.keepOutcome.executeWithOptions({ summary: `${nameOf(place)} · ${verdict}` }, [
      { problemSet, place, verdict, detail, given: { code, reply, cost } },
    ]);
  }
}

const NOTHING: KeepInput['given'] = { code: null, reply: null, cost: { usd: 0, tokens: 0 } };

function nameOf({ sample, repair }: CandidatePlace): string {
  return repair === 0 ? `sample ${sample + 1}` : `repair ${repair} of sample ${sample + 1}`;
}
