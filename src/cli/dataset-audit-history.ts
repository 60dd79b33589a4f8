import { type Client, WorkflowNotFoundError } from '@temporalio/client';

/** Completion of a `callModel` whose answer became a turn. */
export interface ModelEvent {
  readonly runId: string;
  readonly eventId: number;
  /** Blob of the turn. */
  readonly turn: string;
}

interface RunHistory {
  readonly firstRunId: string;
  readonly continuedFrom: string | undefined;
  readonly answers: ReadonlyMap<number, ModelEvent>;
}

type Payloads = { payloads?: readonly { data?: Uint8Array | null }[] | null } | null | undefined;

export interface RolloutHistory {
  /** The run whose id is the ledger's key. */
  readonly firstRunId: string;
  /** Answers that became turns, by turn. */
  readonly answers: ReadonlyMap<number, ModelEvent>;
}

/** The model calls of a rollout as its history has them, over all runs that it went on as; undefined once the server forgot it. */
export async function rolloutHistory(client: Client, workflowId: string): Promise<RolloutHistory | undefined> {
  const answers = new Map<number, ModelEvent>();
  let runId: string | undefined;
  for (;;) {
    const run: Awaited<ReturnType<typeof historyFromRun>> | undefined = await historyFromRun(
      client,
      workflowId,
      runId,
    ).catch((error: unknown) => {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    });
    // A run before this one can be gone already; what is there still counts.
    if (!run) return undefined;
    for (const [turn, event] of run.answers) if (!answers.has(turn)) answers.set(turn, event);
    if (!run.continuedFrom) return { firstRunId: run.firstRunId, answers };
    runId = run.continuedFrom;
  }
}

/** One run of a rollout; the newest without `runId`. Throws when the server does not have it. */
async function historyFromRun(client: Client, workflowId: string, runId?: string): Promise<RunHistory> {
  const handle = client.workflow.getHandle(workflowId, runId);
  // Asked first, because it says `WorkflowNotFoundError` where the history alone fails with the server's own words.
  const { runId: own } = await handle.describe();
  const { events } = await handle.fetchHistory();
  const asked = new Map<string, number>();
  const answers = new Map<number, ModelEvent>();
  let [firstRunId, continuedFrom]: [string, string | undefined] = [own, undefined];
  for (const event of events ?? []) {
    const started = event.workflowExecutionStartedEventAttributes;
    if (started) {
      firstRunId = started.firstExecutionRunId || own;
      continuedFrom = started.continuedExecutionRunId || undefined;
    }
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled?.activityType?.name === 'callModel') {
      const { turn } = jsonIn(scheduled.input) as { turn?: number };
      if (turn !== undefined) asked.set(String(event.eventId), turn);
    }
    const completed = event.activityTaskCompletedEventAttributes;
    const turn = asked.get(String(completed?.scheduledEventId));
    if (!completed || turn === undefined) continue;
    const answer = jsonIn(completed.result) as { ok?: boolean; turn?: string };
    if (answer.ok && answer.turn) answers.set(turn, { runId: own, eventId: Number(event.eventId), turn: answer.turn });
  }
  return { firstRunId, continuedFrom, answers };
}

function jsonIn(payloads: Payloads): unknown {
  const data = payloads?.payloads?.[0]?.data;
  try {
    return JSON.parse(Buffer.from(data ?? []).toString('utf8')) ?? {};
  } catch {
    return {};
  }
}
