import type { CallModelResult } from '../../activities/model';
import type { RunToolResult } from '../../activities/sandbox';
import { NOTHING_SPENT } from '../../agent/limits';
import type {
  Author,
  Frame,
  Lease,
  Limits,
  Ref,
  RolloutCarry,
  RolloutInput,
  RolloutProgress,
  Spent,
  SwitchDraw,
} from '../../contract';
import type { Steering } from './steering';

/** A line of the transcript query; bodies are in the store. */
export interface RecentTurn {
  readonly turn: number;
  readonly author: Author;
  readonly action: string;
  readonly exitCode: number | null;
  readonly step: string;
}

const RECENT = 20;

/** All that a run knows, as data: what continue-as-new carries and queries answer from. */
export interface RolloutState {
  head: string;
  problemId: string;
  draw: SwitchDraw;
  spent: Spent;
  limits: Limits;
  lease: Lease | null;
  frames: Frame[];
  lastAuthor: Author | null;
  expertFrom: number | null;
  authorTurns: { student: number; expert: number };
  /** Malformed replies to the turn that is being made. */
  rejected: string[];
  formatRetries: number;
  redone: number;
  recoveries: number;
  patch: Ref | null;
  workspace: string | null;
  phase: string;
  trouble: string | undefined;
  recent: RecentTurn[];
  /** Steps taken over from another run. */
  forked: number;
  continuing: boolean;
  /** `spent` with the clock as it is now; paused and parked time is not agent time. */
  clock(idleMs: number): Spent;
  took(author: Author, turn: number, reply: CallModelResult & { ok: true }, seen: RunToolResult): void;
  carry(steering: Steering): RolloutCarry;
}

/** The state at the beginning, or as the run before left it. */
export function begin(input: RolloutInput): RolloutState {
  const { carry } = input;
  const startedAt = carry?.startedAt ?? Date.now();
  const earlierIdleMs = carry?.pausedMs ?? 0;
  const state: RolloutState = {
    head: carry?.head ?? '',
    problemId: '',
    draw: carry?.draw ?? { studentTurns: null, key: '' },
    spent: { ...(carry?.spent ?? NOTHING_SPENT) },
    limits: { ...input.limits, ...carry?.limits },
    lease: carry?.lease ?? null,
    frames: carry?.frames ?? [],
    lastAuthor: carry?.lastAuthor ?? null,
    expertFrom: carry?.expertFrom ?? null,
    authorTurns: { ...(carry?.authorTurns ?? { student: 0, expert: 0 }) },
    rejected: [],
    formatRetries: carry?.formatRetries ?? 0,
    redone: carry?.redone ?? 0,
    recoveries: carry?.recoveries ?? 0,
    patch: null,
    workspace: null,
    phase: 'Starting',
    trouble: undefined,
    recent: [],
    forked: 0,
    continuing: false,
    clock: (idleMs) => ({
      ...state.spent,
      wallClockSeconds: Math.max(0, (Date.now() - startedAt - earlierIdleMs - idleMs) / 1000),
    }),
    took(author, turn, reply, seen) {
      state.head = seen.head;
      state.spent.steps = turn;
      state.spent.consecutiveFormatErrors = 0;
      state.spent.consecutiveTimeouts = seen.timedOut ? state.spent.consecutiveTimeouts + 1 : 0;
      state.authorTurns[author] += 1;
      state.rejected = [];
      const line = { turn, author, action: reply.action, exitCode: seen.exitCode, step: seen.head };
      state.recent = [...state.recent, line].slice(-RECENT);
    },
    carry: (steering) => ({
      head: state.head,
      draw: state.draw,
      spent: state.spent,
      limits: state.limits,
      lease: state.lease,
      frames: state.frames,
      lastAuthor: state.lastAuthor,
      expertFrom: state.expertFrom,
      authorTurns: state.authorTurns,
      formatRetries: state.formatRetries,
      redone: state.redone,
      recoveries: state.recoveries,
      startedAt,
      pausedMs: earlierIdleMs + steering.idleMs,
      paused: steering.paused,
    }),
  };
  return state;
}

/** Books one call. Time beyond the answer itself (queues, rate limits, outages) is waiting, which is not agent time. */
export function spend(state: RolloutState, reply: CallModelResult, elapsedMs: number): void {
  const { spent } = state;
  spent.costUsd += reply.usage.costUsd;
  spent.tokens += reply.usage.promptTokens + reply.usage.completionTokens;
  spent.contextTokens = reply.contextTokens;
  spent.modelWaitSeconds += Math.max(0, elapsedMs - reply.latencyMs) / 1000;
  if (reply.ok) return;
  spent.consecutiveFormatErrors += 1;
  state.formatRetries += 1;
}

export function progressOf(state: RolloutState): RolloutProgress {
  return {
    phase: state.phase,
    turn: state.spent.steps,
    author: state.lastAuthor,
    head: state.head || null,
    spent: state.spent,
    limits: state.limits,
    handOver: { sampled: state.draw.studentTurns, expertFrom: state.expertFrom },
    paused: state.phase === 'Paused',
    container: state.lease?.container ?? null,
  };
}
