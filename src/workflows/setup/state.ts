import { defineQuery } from '@temporalio/workflow';
import type { RetrievalAnchor } from '../../activities/setup/memory';
import type { Ref, RepoSetupInput, SetupProgress, SetupStatus, TrialRecord, VerifierResult } from '../../contract';
import type { Owner } from '../../sandbox/labels';
import type { Purse } from './allowance';
import type { RoleGround } from './roles';
import type { SetupSandbox } from './sandbox';

export const progressQuery = defineQuery<SetupProgress>('progress');
export const transcriptQuery = defineQuery<{ head: string; recent: readonly RecentStep[] }>('transcript');

/** The command that stands in the way: what a trial has to make pass. */
export interface Failure {
  readonly turn: number;
  readonly command: Ref;
  readonly output: Ref;
  readonly exitCode: number | null;
  readonly signature: string;
}

/** Units that may be tried now. They belong to one error, and are there again when it is. */
interface Offer {
  readonly suggestions: Ref;
  readonly units: readonly string[];
}

export interface RecentStep {
  readonly turn: number;
  readonly line: string;
  readonly exitCode: number | null;
  undone: boolean;
}

/** What all parts of one set-up share. */
export interface SetupRun extends RoleGround {
  readonly owner: Owner;
  readonly input: RepoSetupInput;
  readonly state: SetupState;
  readonly sandbox: SetupSandbox;
  /** Blob of what the agent was given: source, work directory, survey. */
  readonly given: Ref;
}

/** All that a set-up knows of itself, as data. */
export interface SetupState {
  readonly source: string;
  readonly purse: Purse;
  readonly startedAt: number;
  paused: boolean;
  turn: number;
  head: string;
  failure: Failure | null;
  /** What stood in the way after each turn that could tell, oldest first: a rollback goes back in it too. */
  readonly met: { readonly turn: number; readonly failure: Failure | null }[];
  offer: Offer | null;
  /** The newest offer for each error, by its signature. */
  readonly offers: Record<string, Offer>;
  /** Units that were shown for each error, and those that were tried. */
  readonly shown: Record<string, string[]>;
  readonly tried: Record<string, string[]>;
  /** The last retrieval, until it has been audited. */
  anchor: RetrievalAnchor | null;
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
    paused: false,
    turn: 0,
    head: '',
    failure: null,
    met: [],
    offer: null,
    offers: {},
    shown: {},
    tried: {},
    anchor: null,
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

/** Units that are not to be tried now: for this error they were, or what they did stands. */
export function spentUnits({ failure, tried, trials, kept }: SetupState): string[] {
  const standing = trials.filter((trial) => trial.kept && trial.turn in kept).map(({ unit }) => unit);
  return [...new Set([...(failure ? (tried[failure.signature] ?? []) : []), ...standing])];
}

/** Books units as tried for the error that stands in the way. */
export function markTried({ failure, tried }: SetupState, units: readonly string[]): void {
  const signature = failure?.signature ?? '';
  tried[signature] = [...(tried[signature] ?? []), ...units];
}

/** Whatever stands in the way now, or that nothing does. */
export function meet(state: SetupState, failure: Failure | null): void {
  state.failure = failure;
  state.met.push({ turn: state.turn, failure });
}

/** What stood in the way before the first of these turns stands there again. */
export function unmeet(state: SetupState, undone: readonly number[]): void {
  const first = Math.min(...undone);
  const left = state.met.filter(({ turn }) => turn < first);
  state.met.splice(0, state.met.length, ...left);
  state.failure = left.at(-1)?.failure ?? null;
}
