import type {
  ExperienceDraft,
  ExperienceUnit,
  Judgement,
  RepositoryFacts,
  Situation,
  UnitStatus,
  UnitVerdict,
} from '../../contract';
import type { Ranked } from '../../setup/experience';

/**
 * Units of experience and their record. Everything it does may be repeated; several processes may do it at once. Nothing is
 * opened before it is used: whoever needs no experience pays nothing for it. Throws `Unavailable` where it cannot be reached.
 */
export interface ExperienceStore {
  /** A memory of its own under that name, which is closed with this one. */
  apart(name: string): ExperienceStore;

  /** Candidates for a situation, best first. Reads only. */
  find(situation: Situation, facts: RepositoryFacts, options?: FindOptions): Promise<Ranked[]>;
  /** Books that a run was shown units; a unit's hits count once a run. */
  anchor(anchor: Anchor): Promise<void>;
  /** Books verdicts, each exactly once per run, anchor and unit; a first success elsewhere ends a quarantine. */
  audit(audit: { run: string; anchor: string; verdicts: readonly UnitVerdict[] }): Promise<Audited>;
  /** One attempt: done, or the neighbour that has to be judged first. */
  attemptLearning(draft: ExperienceDraft, judgement?: Judgement): Promise<LearnAttempt>;
  /** Learns a draft, asking `judge` about neighbours until its judgement is about the neighbour as it is. */
  learn(
    draft: ExperienceDraft,
    judge: (draft: ExperienceDraft, nearest: ExperienceUnit) => Promise<Judgement>,
  ): Promise<Learned>;

  /** Inserts units with their record. Ones that are there stay as they are, or with `replace` become what was imported. */
  import(units: readonly ExperienceUnit[], options?: { replace?: boolean }): Promise<ImportCounts>;
  /** Brings the units that come with the package up to `digest` of their file; once per digest. */
  ship(units: readonly ExperienceUnit[], digest: string): Promise<Shipped>;
  /** Those whose trials went well come first. */
  list(options?: ListOptions): Promise<ExperienceUnit[]>;
  /** A unit with the bodies of its earlier versions. Throws `NotFound`. */
  show(id: string): Promise<ShownUnit>;
  /** Takes a unit out for good; a shipped one does not come back with the next version. False when it was not there. */
  forget(id: string): Promise<boolean>;
  stats(): Promise<ExperienceStats>;
  close(): Promise<void>;
}

export interface FindOptions {
  /** Ids that were shown or tried for this error. */
  readonly exclude?: readonly string[];
  readonly limit?: number;
  /** False: without the units of the package. */
  readonly shipped?: boolean;
}

export interface Anchor {
  readonly run: string;
  /** Names the retrieval within the run. */
  readonly anchor: string;
  readonly units: readonly string[];
  /** Where the run works: a success in another project than where a unit was learned ends its quarantine. */
  readonly repository?: string;
}

export interface Audited {
  readonly booked: readonly string[];
  /** Verdicts that were booked before. */
  readonly repeated: readonly string[];
  readonly refused: readonly { readonly unit: string; readonly why: string }[];
}

export type Learned = { readonly outcome: 'inserted' | 'merged' | 'duplicate'; readonly unit: string };
export type LearnAttempt =
  | Learned
  | { readonly outcome: 'needs-judgement'; readonly nearest: ExperienceUnit; readonly similarity: number };

export interface Shipped {
  /** False where this digest was brought in before. */
  readonly changed: boolean;
  readonly units: number;
}

export interface ListOptions {
  readonly status?: UnitStatus;
  readonly lang?: string;
  /** Words that have to be in a unit. */
  readonly words?: string;
}

export interface ShownUnit {
  readonly unit: ExperienceUnit;
  readonly earlier: { readonly version: number; readonly body: unknown }[];
}

export interface UnitCounts {
  readonly units: number;
  readonly active: number;
  readonly quarantined: number;
  readonly shipped: number;
  readonly hits: number;
  readonly successes: number;
  readonly failures: number;
  readonly runs: number;
}

export interface ExperienceStats extends UnitCounts {
  readonly database: string;
  readonly vectors: string;
  readonly embedding: string;
}

export interface ImportCounts {
  readonly inserted: number;
  readonly replaced: number;
  /** Were there already, and stay as they are. */
  readonly known: number;
}
