import type {
  Charge,
  JudgeMove,
  ProsecutorMove,
  ServiceSpec,
  SetupAction,
  Suggestion,
  TestCounts,
  VerifierMove,
  VerifierResult,
} from '../../contract';
import type { Survey } from '../repository/survey';

/** What a policy sees of a command that ran. */
export interface Observed {
  /** Null when it was killed at its deadline, or where nothing ran. */
  readonly exitCode: number | null;
  readonly output: string;
  readonly timedOut: boolean;
}

/** One step of a role's own chain. */
export interface Seen<Move> {
  readonly move: Move;
  readonly observed: Observed;
}

/** One step of the set-up agent. */
export interface SeenAction extends Seen<SetupAction> {
  readonly turn: number;
  /** Whether a rollback took it back: what it did is no longer there. */
  readonly undone: boolean;
  /** What the loop says of it: frames taken, services started again, what a rollback undid. */
  readonly notes: readonly string[];
}

/** All that a set-up agent knows when it is to act. */
export interface SetupDossier {
  readonly source: string;
  /** Version that the source says it has, from its registry or tag. */
  readonly version: string | null;
  /** When the source was published or committed (ISO 8601, UTC), where that is known. */
  readonly released: string | null;
  readonly goal: string;
  readonly workdir: string;
  readonly survey: Survey;
  /** Other repositories of the family, each in a folder of its own, with its survey. */
  readonly components: readonly { readonly name: string; readonly workdir: string; readonly survey: Survey }[];
  /** Services that run, declared by the input or started by an action. */
  readonly services: readonly ServiceSpec[];
  /** Services that the input asks for; the agent starts them. */
  readonly wanted: readonly ServiceSpec[];
  readonly seen: readonly SeenAction[];
  /** Units that may be tried now, best first. */
  readonly suggestions: readonly Suggestion[];
  /** What the last `verify` found, if there was one. */
  readonly verified: VerifierResult | null;
  readonly stepsLeft: number;
}

/** What verifier, prosecutor and judge are given of the set-up that they look at. */
export interface Case {
  readonly source: string;
  readonly goal: string;
  readonly workdir: string;
  readonly survey: Survey;
  readonly components: SetupDossier['components'];
  readonly services: readonly ServiceSpec[];
  /** Services that the input asked for, whether or not the agent started them. */
  readonly wanted?: readonly ServiceSpec[];
  /** The agent's steps that stand, oldest first. */
  readonly steps: readonly SeenAction[];
  /** What the agent says of its work. */
  readonly claim: string;
}

export interface VerifierDossier extends Case {
  readonly hint: string;
}

export interface ProsecutorDossier extends Case {
  readonly verifier: VerifierResult | null;
  readonly verifierMoves: readonly Seen<VerifierMove>[];
}

export interface JudgeDossier extends ProsecutorDossier {
  readonly charges: readonly (Charge & { readonly output: string })[];
}

/**
 * A policy without a model: the next move follows from the dossier and its own moves so far. Pure and deterministic, so a
 * retried activity decides the same again.
 */
type Policy<Dossier, Move> = (dossier: Dossier, seen: readonly Seen<Move>[]) => Move;

export type SetupPolicy = (dossier: SetupDossier) => SetupAction;
export type VerifierPolicy = Policy<VerifierDossier, VerifierMove>;
export type ProsecutorPolicy = Policy<ProsecutorDossier, ProsecutorMove>;
export type JudgePolicy = Policy<JudgeDossier, JudgeMove>;

export const NO_COUNTS: TestCounts = { collected: 0, passed: 0, failed: 0, skipped: 0, errors: 0 };
