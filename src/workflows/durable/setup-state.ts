import type { RetrievalAnchor } from '../../activities/setup-memory';
import type { Ref, SetupStatus, TrialRecord, VerifierResult } from '../../contract';
import type { Purse } from './allowance';

/** The command that stands in the way: what a trial has to make pass. */
export interface Failure {
  readonly turn: number;
  readonly command: Ref;
  readonly output: Ref;
  readonly exitCode: number | null;
  readonly signature: string;
}

/** Units that may be tried now. They stay while the error stays the same. */
export interface Offer {
  readonly signature: string;
  readonly suggestions: Ref;
  readonly units: readonly string[];
}

export interface RecentStep {
  readonly turn: number;
  readonly line: string;
  readonly exitCode: number | null;
  undone: boolean;
}

/** All that a set-up knows of itself, as data. */
export interface SetupState {
  readonly source: string;
  readonly purse: Purse;
  readonly startedAt: number;
  phase: string;
  turn: number;
  head: string;
  failure: Failure | null;
  offer: Offer | null;
  /** The last retrieval, until it has been audited. */
  anchor: RetrievalAnchor | null;
  readonly tried: string[];
  readonly trials: TrialRecord[];
  /** Commands of trials that stand, by turn. */
  readonly kept: Record<number, Ref[]>;
  verified: { result: VerifierResult; ref: Ref } | null;
  selfClaim: boolean;
  claim: string;
  readonly recent: RecentStep[];
  status: SetupStatus;
  detail: string | undefined;
  /** What the report says beside. */
  readonly notes: string[];
}

export function beginSetup(source: string): SetupState {
  return {
    source,
    purse: { usd: 0, tokens: 0, formatRetries: 0 },
    startedAt: Date.now(),
    phase: 'Starting',
    turn: 0,
    head: '',
    failure: null,
    offer: null,
    anchor: null,
    tried: [],
    trials: [],
    kept: {},
    verified: null,
    selfClaim: false,
    claim: '',
    recent: [],
    status: 'cancelled',
    detail: undefined,
    notes: [],
  };
}
