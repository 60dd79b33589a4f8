import { defineQuery, workflowInfo } from '@temporalio/workflow';
import type { CallModelResult, RunToolResult } from '../../activities/rollout/turn';
import type {
  Author,
  AwaitedPerson,
  HandOverRecord,
  RolloutCarry,
  RolloutInput,
  RolloutProgress,
  Spent,
} from '../../contract';
import { handOverReason } from '../../rollout/handover';
import { lenienceNotes } from '../../rollout/lenience';
import { NOTHING_SPENT } from '../../rollout/limits';
import type { Phase } from '../durable/phase';

export const progressQuery = defineQuery<RolloutProgress>('progress');
export const transcriptQuery = defineQuery<{ head: string; recent: readonly RecentTurn[] }>('transcript');

/** A line of the transcript query; bodies are in the store. */
export interface RecentTurn {
  readonly turn: number;
  readonly author: Author;
  readonly action: string;
  readonly exitCode: number | null;
  readonly step: string;
}

/** What continue-as-new carries of a rollout, as it is before the first turn. */
export function beginRollout({ limits }: RolloutInput): RolloutCarry {
  return {
    head: '',
    draw: { studentTurns: null, key: '' },
    spent: { ...NOTHING_SPENT },
    limits: { ...limits },
    lease: null,
    frames: [],
    undo: [],
    lastAuthor: null,
    expertFrom: null,
    authorTurns: { student: 0, expert: 0 },
    formatRetries: 0,
    lenient: {},
    redone: 0,
    recoveries: 0,
    startedAt: Date.now(),
    idleMs: 0,
    paused: false,
  };
}

/** What was spent, with the clock as it is now; `idleMs` (paused or parked) is not agent time. */
export function clock({ spent, startedAt }: RolloutCarry, idleMs: number): Spent {
  return { ...spent, wallClockSeconds: Math.max(0, (Date.now() - startedAt - idleMs) / 1000) };
}

/** Books one call. Time beyond the answer itself (queues, rate limits, outages) is waiting, which is not agent time. */
export function spend(state: RolloutCarry, reply: CallModelResult, elapsedMs: number): void {
  const { spent } = state;
  spent.costUsd += reply.usage.costUsd;
  spent.tokens += reply.usage.promptTokens + reply.usage.completionTokens;
  spent.contextTokens = reply.contextTokens;
  spent.modelWaitSeconds += Math.max(0, elapsedMs - reply.latencyMs) / 1000;
  if (reply.ok) {
    for (const kind of reply.lenient ?? []) state.lenient[kind] = (state.lenient[kind] ?? 0) + 1;
    return;
  }
  spent.consecutiveFormatErrors += 1;
  state.formatRetries += 1;
}

/** Books a turn whose action was run. */
export function take(state: RolloutCarry, author: Author, turn: number, seen: RunToolResult): void {
  const { spent } = state;
  state.head = seen.head;
  spent.steps = turn;
  spent.consecutiveFormatErrors = 0;
  spent.consecutiveTimeouts = seen.timedOut ? spent.consecutiveTimeouts + 1 : 0;
  state.authorTurns[author] += 1;
}

export function progressOf(state: RolloutCarry, phase: Phase, awaiting: AwaitedPerson | undefined): RolloutProgress {
  return {
    phase: phase.shown,
    turn: state.spent.steps,
    author: state.lastAuthor,
    head: state.head || null,
    spent: state.spent,
    limits: state.limits,
    handOver: handOverOf(state),
    paused: state.paused,
    container: state.lease?.container ?? null,
    ...(awaiting ? { awaiting } : {}),
  };
}

/** What was drawn, and what came of it. */
export function handOverOf({ draw, expertFrom }: RolloutCarry): HandOverRecord {
  const reason = expertFrom === null ? undefined : handOverReason(draw, expertFrom);
  return { sampled: draw.studentTurns, expertFrom, ...(reason ? { reason } : {}) };
}

interface ShownRollout {
  readonly problem: string;
  readonly phase: Phase;
  readonly recent: readonly RecentTurn[];
  /** How it ended. */
  readonly outcome?: string;
  readonly awaiting?: AwaitedPerson;
}

/**
 * Markdown for the Temporal UI's "Current Details". Turns are a code block, because the UI sets tables without space
 * between columns and turns `--` into a dash.
 */
export function describeRollout(
  state: RolloutCarry,
  { problem, phase, recent, outcome, awaiting }: ShownRollout,
): string {
  const { spent, draw, formatRetries } = state;
  const { waiting } = phase;
  const note = waiting && waiting.kind !== 'paused' ? waiting.reason : outcome;
  const switched = state.expertFrom ? `, expert since turn ${state.expertFrom}` : '';
  const reason = handOverOf(state).reason ?? 'policy';
  const early =
    reason === 'policy' ? '' : reason === 'person' ? ' (handed over by a person)' : ` (the student: ${reason})`;
  const turns = recent
    .slice(-8)
    .map(
      ({ turn, author, action, exitCode }) =>
        `${String(turn).padStart(4)}  ${author.padEnd(7)}  ${String(exitCode ?? '-').padStart(4)}  ${short(action)}`,
    );
  return [
    `**${problem}** — ${phase.shown}${note ? `: ${note}` : ''}`,
    ...(waiting ? ['', WAITING[waiting.kind]] : []),
    ...(awaiting
      ? [
          '',
          `Turn ${awaiting.turn} waits for a person (${awaiting.profile}) since ${awaiting.since}: \`pointsman rollout attach ${workflowInfo().workflowId}\`.`,
        ]
      : []),
    '',
    `Turn ${spent.steps} of at most ${state.limits.steps}; switch index k = ${draw.studentTurns ?? 'per turn'}${switched}${early}.`,
    '',
    `$${spent.costUsd.toFixed(4)}, ${spent.tokens} tokens, ${formatRetries} malformed ${formatRetries === 1 ? 'reply' : 'replies'} sent back.`,
    '',
    ...lenienceNotes(state.lenient).flatMap((note) => [`${note}.`, '']),
    ...(turns.length > 0 ? ['```', 'turn  author   exit  action', ...turns, '```', ''] : []),
    ...(state.lease && phase.name !== 'Done' ? [`Container \`${state.lease.container}\`.`, ''] : []),
    `Every turn in full: \`pointsman rollout show ${workflowInfo().workflowId}\`, also by the head of its chain, \`${state.head}\`.`,
  ].join('\n');
}

/** The UI cuts long lines of a code block off without a sign. */
function short(action: string): string {
  return action.length > 52 ? `${action.slice(0, 51)}…` : action;
}

/** What a person who finds the run waiting can do. */
const WAITING = {
  paused: 'The update `resume` goes on; `abandon` ends it and keeps its work.',
  parked: 'Mend it, then send the update `resume`; `abandon` ends the run and keeps its work.',
  held: 'It goes on by itself.',
} as const;
