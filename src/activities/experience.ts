import type {
  ExperienceDraft,
  ExperienceUnit,
  GuestFacts,
  Judgement,
  RepositoryFacts,
  Situation,
  Suggestion,
  UnitVerdict,
} from '../contract';
import { type Anchor, type Audited, type ExperienceStats, type Learned, shipExperience } from '../experience';
import { renderAtoms } from '../setup/experience';
import type { Deps } from './deps';
import { withHeartbeat } from './heartbeat';

export interface FindExperienceInput {
  readonly run: string;
  readonly situation: Situation;
  readonly facts: RepositoryFacts;
  readonly guest: GuestFacts;
  /** Ids that were shown or tried for this error. */
  readonly exclude?: readonly string[];
  readonly limit?: number;
}

export interface BookAuditInput {
  readonly run: string;
  readonly anchor: string;
  readonly verdicts: readonly UnitVerdict[];
}

export interface LearnExperienceInput {
  readonly run: string;
  readonly draft: ExperienceDraft;
  /** About the neighbour that an earlier call named. */
  readonly judgement?: Judgement;
}

/** Done; or judge the neighbour and call again. */
export type LearnExperienceResult =
  | Learned
  | {
      readonly outcome: 'needs-judgement';
      readonly needsJudgement: {
        readonly nearest: ExperienceUnit;
        readonly draft: ExperienceDraft;
        readonly similarity: number;
      };
    };

/** In a run whose experience is `frozen`, only `findExperience`, `shippedExperience` and `experienceStats` are called. */
export function createExperienceActivities({ experience }: Pick<Deps, 'experience'>) {
  return {
    /** Units for a situation, rendered for the container, best first. Retry-safe: it reads. */
    async findExperience(input: FindExperienceInput): Promise<{ candidates: Suggestion[] }> {
      return withHeartbeat(async () => {
        const { situation, facts, guest, exclude, limit } = input;
        const found = await experience.find(situation, facts, { exclude, limit });
        return { candidates: found.map((each) => ({ ...each, commands: renderAtoms(each.atoms, guest).commands })) };
      });
    },

    /** Books what a run was shown. Retry-safe: an anchor is kept once, and a unit's hits count once a run. */
    async anchorExperience(input: Anchor): Promise<void> {
      return withHeartbeat(() => experience.anchor(input));
    },

    /** Books verdicts about what was shown. Retry-safe: each counts once per run, anchor and unit. */
    async bookAudit(input: BookAuditInput): Promise<Audited> {
      return withHeartbeat(() => experience.audit(input));
    },

    /**
     * Learns what a run found out, or names the neighbour to be judged first. Retry-safe: what became of a draft is kept
     * under its run and content, and a repeated call is given the same answer.
     */
    async learnExperience({ run, draft, judgement }: LearnExperienceInput): Promise<LearnExperienceResult> {
      return withHeartbeat(async () => {
        const own = { ...draft, provenance: { ...draft.provenance, run } };
        const attempt = await experience.attemptLearning(own, judgement);
        if (attempt.outcome !== 'needs-judgement') return attempt;
        const { outcome, nearest, similarity } = attempt;
        return { outcome, needsJudgement: { nearest, draft: own, similarity } };
      });
    },

    /** Brings in the units that come with the package. Retry-safe: once per content of their file, record kept. */
    async shippedExperience(): Promise<{ changed: boolean; units: number }> {
      return withHeartbeat(() => shipExperience(experience));
    },

    /** Counts for reports. Reads only. */
    async experienceStats(): Promise<ExperienceStats> {
      return withHeartbeat(() => experience.stats());
    },
  };
}
