import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import {
  type Client,
  type WorkflowExecutionDescription,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { Method, PlannedRollout, Ref, RolloutResult, RolloutRow, SkipReason } from '../../contract';
import type { Deps } from '../../deps';
import { withHeartbeat } from '../heartbeat';

/** A rollout whose end is asked for. */
export interface Asked extends PlannedRollout {
  /** Steps that it took over from its teacher. */
  readonly kept?: number;
  /** It was never begun, for this reason. */
  readonly skipped?: SkipReason;
}

/** What a workflow needs to know of a rollout that has ended; all of it is a line of the page. */
export interface Ending {
  readonly id: string;
  readonly outcome: RolloutRow['outcome'];
  readonly status: string | null;
  readonly resolved: boolean | null;
  readonly cost: { readonly usd: number; readonly tokens: number };
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
}

export interface Endings {
  /** Lines of `RolloutRow`, of those that have ended. */
  readonly page: Ref | null;
  readonly endings: Ending[];
  /** Ids of those that still run. */
  readonly open: string[];
}

/** A watch is begun anew before the activity's own time is up. */
const WATCH_MS = 90 * 60_000;
/** Rounds of questions, and in a round so many at once: the server answers fifty a second, however many are watched. */
const [ROUND_MS, AT_ONCE, PACE_MS] = [1_000, 25, 500];
const FREE = { usd: 0, tokens: 0 };

/** The server is asked what became of a campaign's rollouts. Reads only, but for content-addressed rows: safe to retry. */
export function createCampaignEndingActivities({ blobs }: Pick<Deps, 'blobs'>) {
  return {
    /** Rows of those that have ended, and the ids of those that have not. */
    async endingsOf(input: { rollouts: readonly Asked[]; methods: readonly Method[] }): Promise<Endings> {
      return withHeartbeat(async () => {
        const { client } = Context.current();
        const methods = new Map(input.methods.map((method) => [method.name, method]));
        const found = await Promise.all(input.rollouts.map((asked) => endOf(client, asked)));
        const rows: RolloutRow[] = [];
        const endings: Ending[] = [];
        const open: string[] = [];
        for (const [at, end] of found.entries()) {
          const asked = input.rollouts[at]!;
          if (end === 'open') open.push(asked.id);
          else {
            rows.push(rowOf(asked, methods.get(asked.method)!, end));
            endings.push(endingOf(asked, end));
          }
        }
        const page = rows.length > 0 ? await blobs.put(rows.map((row) => `${JSON.stringify(row)}\n`).join('')) : null;
        return { page, endings, open };
      });
    },

    /** Waits until some of them have ended, or until its time is over: then it gives none, and is called again. */
    async firstEnded({ ids }: { ids: readonly string[] }): Promise<string[]> {
      return withHeartbeat(async (signal) => {
        const { client } = Context.current();
        for (
          const until = performance.now() + WATCH_MS;
          performance.now() < until;
          await sleep(ROUND_MS, undefined, { signal })
        ) {
          const ended: string[] = [];
          for (let from = 0; from < ids.length; from += AT_ONCE) {
            const some = ids.slice(from, from + AT_ONCE);
            const [are] = await Promise.all([
              Promise.all(some.map((id) => hasEnded(client, id))),
              sleep(from + AT_ONCE < ids.length ? PACE_MS : 0, undefined, { signal }),
            ]);
            ended.push(...some.filter((_, at) => are[at]));
          }
          if (ended.length > 0) return ended;
        }
        return [];
      });
    },
  };
}

/** What the server says of an ended rollout. */
interface End extends Pick<RolloutRow, 'outcome' | 'result' | 'seconds'> {
  readonly skipped?: SkipReason;
  readonly error?: string;
  readonly endedAt: number;
  /** Of one that left no result: what it last published. */
  readonly spentUsd?: number;
}

async function endOf(client: Client, asked: Asked): Promise<End | 'open'> {
  const never = { outcome: 'skipped', result: null, seconds: null, endedAt: Date.now() } as const;
  if (asked.skipped) return { ...never, skipped: asked.skipped };
  const handle = client.workflow.getHandle(asked.id);
  const described = await handle.describe().catch((error: unknown) => {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  });
  if (!described) {
    return { ...never, outcome: 'failed', error: 'the server does not know it (any more): see its retention' };
  }
  const { memo, status, closeTime } = described;
  if (memo?.recipe !== asked.recipe) {
    const error = 'there is a workflow of this id that was made from other input: start the campaign under another id';
    return { ...never, outcome: 'failed', error };
  }
  if (status.name === 'RUNNING' || status.name === 'PAUSED' || !closeTime) return 'open';
  const endedAt = closeTime.getTime();
  const seconds = (endedAt - (await begunAt(client, described))) / 1000;
  const spentUsd = described.typedSearchAttributes.getAll().find(({ key }) => key.name === 'CostUsd')?.value;
  const about = { seconds, endedAt, ...(typeof spentUsd === 'number' ? { spentUsd } : {}) };
  switch (status.name) {
    case 'COMPLETED':
      return { ...about, outcome: 'finished', result: (await handle.result()) as RolloutResult };
    case 'CANCELLED':
      return { ...about, outcome: 'cancelled', result: (memo.result as RolloutResult | undefined) ?? null };
    case 'FAILED':
      return { ...about, outcome: 'failed', result: null, error: await whyFailed(handle.result()) };
    default:
      return { ...about, outcome: 'failed', result: null, error: `${status.name.toLowerCase().replace('_', ' ')}` };
  }
}

/** A rollout that went on as a new run began with its first one. */
async function begunAt(client: Client, { raw, runId, workflowId, startTime }: WorkflowExecutionDescription) {
  const first = raw.workflowExecutionInfo?.firstRunId || runId;
  if (first === runId) return startTime.getTime();
  const begun = await client.workflow.getHandle(workflowId, first).describe();
  return begun.startTime.getTime();
}

function rowOf(asked: Asked, method: Method, end: End): RolloutRow {
  const { id, instance, problem, licence, pass, kept } = asked;
  const { outcome, result, seconds, skipped, error } = end;
  return {
    id,
    instance,
    problem,
    method: method.name,
    handOver: method.handOver,
    pass,
    student: method.student ?? null,
    expert: method.expert ?? null,
    outcome,
    ...(skipped ? { skipped } : {}),
    ...(error ? { error } : {}),
    result,
    ...(kept ? { copiedSteps: kept } : {}),
    ...(result?.patch?.bytes === 0 ? { emptyPatch: true } : {}),
    seconds,
    licence,
  };
}

function endingOf({ id }: Asked, { outcome, result, endedAt, spentUsd }: End): Ending {
  const cost = result?.cost ?? { ...FREE, usd: spentUsd ?? 0 };
  return { id, outcome, status: result?.status ?? null, resolved: result?.resolved ?? null, cost, endedAt };
}

/** A row of a rollout that was never begun. */
export function skippedRow(planned: PlannedRollout, method: Method, skipped: SkipReason): RolloutRow {
  return rowOf(planned, method, { outcome: 'skipped', result: null, seconds: null, endedAt: 0, skipped });
}

async function whyFailed(result: Promise<unknown>): Promise<string> {
  const error: unknown = await result.catch((failure: unknown) => failure);
  let cause = error instanceof WorkflowFailedError ? error.cause : error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  if (!(cause instanceof Error)) return 'failed';
  const { type } = cause as { type?: string };
  return type ? `${type}: ${cause.message}` : cause.message;
}

/** In whatever way. One that the server does not know will not end any more. */
async function hasEnded(client: Client, id: string): Promise<boolean> {
  const described = await client.workflow
    .getHandle(id)
    .describe()
    .catch((error: unknown) => {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    });
  return described === undefined || described.closeTime !== undefined;
}
