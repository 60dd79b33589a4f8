import { createHash } from 'node:crypto';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { isPointsmanError, Opening, Step } from '../../contract';
import type { BlobStore } from '../../store/blobs';
import { eventsOf, firstValue } from '../../store/history';

/** One step of a chain, with the hash that names it. */
export interface AuditedStep {
  readonly hash: string;
  readonly step: Step;
  /** Digest that the turn has as a blob of its own: so it was written before the step was made. */
  readonly turnBlob: string;
}

interface AuditedChain {
  readonly opening: Opening | null;
  /** From the first to the last; where a link is missing, those after it. */
  readonly steps: readonly AuditedStep[];
  /** Observations whose bytes are what their names say. */
  readonly observations: number;
  readonly problems: readonly string[];
}

/**
 * Walks a chain from its head by the bytes themselves: every link and every observation is hashed again and compared with
 * the name that it is kept under.
 */
export async function auditChain(blobs: BlobStore, head: string): Promise<AuditedChain> {
  const steps: AuditedStep[] = [];
  const problems: string[] = [];
  let observations = 0;
  const ended = (opening: Opening | null): AuditedChain => ({
    opening,
    steps: steps.reverse(),
    observations,
    problems,
  });
  for (let hash = head; ; ) {
    const bytes = await bytesOf(blobs, hash, problems, 'link');
    const value = bytes && jsonIn(bytes);
    const link = Step.safeParse(value).data ?? Opening.safeParse(value).data;
    if (!link) {
      if (bytes) problems.push(`link ${short(hash)}: expected a step or an opening, found something else`);
      return ended(null);
    }
    if (link.kind === 'opening') return ended(link);
    const { text } = link.observation;
    const seen = await bytesOf(blobs, text.sha256, problems, `observation of turn ${link.turn.turn}`);
    observations += seen ? 1 : 0;
    if (seen && seen.length !== text.bytes)
      problems.push(`observation of turn ${link.turn.turn}: expected ${text.bytes} bytes, found ${seen.length}`);
    const turn = JSON.stringify((value as Step).turn);
    steps.push({ hash, step: link, turnBlob: createHash('sha256').update(turn).digest('hex') });
    hash = link.parent;
  }
}

/** A blob's bytes; what is missing or holds other bytes than its name says is a problem. */
export async function bytesOf(
  blobs: BlobStore,
  hash: string,
  problems: string[],
  what: string,
): Promise<Buffer | undefined> {
  try {
    return await blobs.get(hash);
  } catch (error) {
    if (!isPointsmanError(error)) throw error;
    if (error.code === 'NotFound') problems.push(`${what}: ${short(hash)} is not in the store`);
    else if (error.code === 'DigestMismatch')
      problems.push(`${what}: expected bytes with sha256 ${short(hash)}, found others`);
    else throw error;
  }
  return undefined;
}

export function short(hash: string): string {
  return hash.slice(0, 12);
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Completion of a question whose answer became a turn. */
interface ModelEvent {
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

/** Activities whose result holds a model's answer. */
const ASKS: readonly string[] = ['callModel', 'takeTurn'];

/** One run of a rollout; the newest without `runId`. Throws when the server does not have it. */
async function historyFromRun(client: Client, workflowId: string, runId?: string): Promise<RunHistory> {
  const handle = client.workflow.getHandle(workflowId, runId);
  // Asked first, because it says `WorkflowNotFoundError` where the history alone fails with the server's own words.
  const { runId: own } = await handle.describe();
  const events = await eventsOf(handle);
  const asked = new Map<string, number>();
  const answers = new Map<number, ModelEvent>();
  let [firstRunId, continuedFrom]: [string, string | undefined] = [own, undefined];
  for (const event of events) {
    const started = event.workflowExecutionStartedEventAttributes;
    if (started) {
      firstRunId = started.firstExecutionRunId || own;
      continuedFrom = started.continuedExecutionRunId || undefined;
    }
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (ASKS.includes(scheduled?.activityType?.name ?? '')) {
      const turn = firstValue<{ turn?: number }>(scheduled?.input)?.turn;
      if (turn !== undefined) asked.set(String(event.eventId), turn);
    }
    const completed = event.activityTaskCompletedEventAttributes;
    const turn = asked.get(String(completed?.scheduledEventId));
    if (!completed || turn === undefined) continue;
    const answer = firstValue<{ ok?: boolean; turn?: string }>(completed.result);
    if (answer?.ok && answer.turn) answers.set(turn, { runId: own, eventId: Number(event.eventId), turn: answer.turn });
  }
  return { firstRunId, continuedFrom, answers };
}
