import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  isGrpcServiceError,
  type WorkflowExecutionDescription,
  type WorkflowExecutionInfo,
  WorkflowFailedError,
  type WorkflowHandle,
} from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { PointsmanError } from '../contract';
import { ownServerIsDown } from '../machine/local-services';
import { quote } from '../rollout/shell';
import type { Cli } from './context';

/** How often the server is asked whether it has ended. */
const POLL_MS = 1_000;
/** A busy server is asked again after this long. */
const ANSWER_MS = 5_000;
/** How often it is said that a server is still away. */
const TELL_MS = 30_000;
/** How long a server may be away: ours, whose process has ended, and one that others run. */
const AWAY_MS = { ours: 60_000, theirs: 30 * 60_000 } as const;
/** How often it is asked which workflows below are parked (more often where all may be), and how often in a row nothing else may move. */
const BELOW_MS = 2_000;
const STILL = 3;
/** So many below are looked at: of more than that some will move. As many parked ones are told of at a time. */
const [MOST_BELOW, TOLD] = [1_000, 5];
/** What is in flight for the display has so long once the workflow has ended. */
const LAST_LOOK_MS = 1_000;

export interface Waiting {
  /** The command that follows it later on. */
  readonly follow: string;
  /** Milliseconds between two looks; a second unless told. */
  readonly everyMs?: number;
  /** Shows how it goes. Calls that fail because the server is busy or away are made again with the next look. */
  look?(described: WorkflowExecutionDescription): Promise<void>;
}

export type Ended<R> = { readonly result: R } | { readonly error: unknown };

/** Waits for the end. Throws why there is no result. */
export async function waited<R>(cli: Cli, handle: WorkflowHandle, waiting: Waiting): Promise<R> {
  return resultOf(await ended<R>(cli, handle, waiting));
}

/** The result; throws why there is none. */
export function resultOf<R>(ending: Ended<R>): R {
  if ('error' in ending) throw ending.error;
  return ending.result;
}

/**
 * The wait of all commands: until a workflow has ended, however it ends, or cannot go on without a person: parked itself, or
 * all that still runs below it is. One below that is parked while others go on is said. One that is reset or continued as new is followed into its next run. A server that is away is asked again until there is no hope;
 * that is said. Ctrl-C stops the waiting, never the workflow. Throws only what `look` throws for reasons of its own.
 */
export async function ended<R>(cli: Cli, handle: WorkflowHandle, waiting: Waiting): Promise<Ended<R>> {
  const id = handle.workflowId;
  const leave = () => {
    cli.say(`${id} continues; \`${waiting.follow}\` follows it`);
    process.exit(130);
  };
  process.once('SIGINT', leave);
  try {
    return { result: await new Wait(cli, await cli.client(), id, waiting).untilEnd<R>() };
  } catch (error) {
    if (error instanceof LookFailed) throw error.cause;
    return { error };
  } finally {
    process.off('SIGINT', leave);
  }
}

class LookFailed extends Error {}

class Wait {
  private looking: Promise<void> | undefined;
  private failed: LookFailed | undefined;
  private awaySince: number | undefined;
  private toldAt = 0;
  private said = '';
  private belowAt = Number.NEGATIVE_INFINITY;
  private still = 0;
  private readonly toldBelow = new Set<string>();
  /** Ends the look that is in flight: each has its own, for the client never lets go of a signal. */
  private over = new AbortController();
  private ending = false;

  constructor(
    private readonly cli: Cli,
    private readonly client: Client,
    private readonly id: string,
    private readonly waiting: Waiting,
  ) {}

  async untilEnd<R>(): Promise<R> {
    const { everyMs = POLL_MS } = this.waiting;
    try {
      for (;;) {
        const described = await this.asked(() => this.handle().describe());
        if (described) {
          if (this.failed) throw this.failed;
          if (described.status.name === 'COMPLETED') return await this.resultOf<R>(described);
          const trouble = (await this.whyOver(described)) ?? (await this.stuckBelow(described));
          if (trouble) throw trouble;
          this.tellOf(described);
          this.look(described);
        }
        await sleep(described ? everyMs : POLL_MS);
      }
    } finally {
      this.ending = true;
      this.over.abort();
      await Promise.race([this.looking, sleep(LAST_LOOK_MS, undefined, { ref: false })]);
    }
  }

  /** Of whichever run is the newest: one that was reset, or continued as new, goes on in another. */
  private handle(runId?: string): WorkflowHandle {
    return this.client.workflow.getHandle(this.id, runId, { followRuns: false });
  }

  private async resultOf<R>({ runId }: WorkflowExecutionDescription): Promise<R> {
    for (;;) {
      const result = await this.asked(async () => ({ of: (await this.handle(runId).result()) as R }));
      if (result) return result.of;
      await sleep(POLL_MS);
    }
  }

  /** Why it will give no result; undefined of one that goes on. */
  private async whyOver(described: WorkflowExecutionDescription): Promise<Error | undefined> {
    const { status, runId } = described;
    if (status.name === 'CONTINUED_AS_NEW') return undefined;
    if (status.name !== 'RUNNING' && status.name !== 'PAUSED') {
      const failure = await this.asked(() =>
        this.handle(runId)
          .result()
          .then(
            () => undefined,
            (error: unknown) => {
              if (isTransient(error)) throw error;
              return error;
            },
          ),
      );
      return endingError(described, failure);
    }
    const parked = await parkedError(this.client, described);
    return (
      parked &&
      new PointsmanError(parked.code, parked.message, `${parked.hint} \`${this.waiting.follow}\` follows it again.`)
    );
  }

  /** Says which below are parked, once each; the first of them where nothing moves without a person. */
  private async stuckBelow({ raw, status }: WorkflowExecutionDescription): Promise<Error | undefined> {
    const since = performance.now() - this.belowAt;
    if (status.name !== 'RUNNING' || (this.still === 0 && since < BELOW_MS)) return undefined;
    this.belowAt = performance.now();
    const below = await this.asked(() => lookBelow(this.client, this.id));
    if (!below) return undefined;
    const { parked, moving } = below;
    const untold = parked.filter(({ workflowId }) => !this.toldBelow.has(workflowId)).slice(0, TOLD);
    for (const each of untold) {
      const error = await this.asked(() => this.parkedBelow(each));
      if (error) this.cli.say(`· ${error.message}. ${error.hint}`);
      this.toldBelow.add(each.workflowId);
    }
    const [first, ...others] = parked;
    const busy = moving || raw.pendingWorkflowTask || raw.pendingActivities?.length;
    this.still = first && !busy ? this.still + 1 : 0;
    if (!first || this.still < STILL || (await this.mayBegin())) return undefined;
    const error = await this.asked(() => this.parkedBelow(first));
    if (!error) return undefined;
    const more = others.length > 0 ? `, as ${others.length === 1 ? 'is another' : `are ${others.length} more`}` : '';
    return new PointsmanError(
      error.code,
      `${this.id} cannot go on: ${error.message}${more}`,
      `${error.hint} \`${this.waiting.follow}\` follows it again.`,
    );
  }

  /** Undefined where it goes on by now. */
  private async parkedBelow({ workflowId, runId }: WorkflowExecutionInfo): Promise<PointsmanError | undefined> {
    return parkedError(this.client, await this.client.workflow.getHandle(workflowId, runId).describe());
  }

  /** Whether a campaign will begin others beside those in flight: it may only wait for its minute. */
  private async mayBegin(): Promise<boolean> {
    const progress = await this.client
      .withDeadline(Date.now() + ANSWER_MS, () =>
        this.handle().query<{ begun?: number; planned?: number; inFlight?: unknown[]; concurrency?: number }>(
          'progress',
        ),
      )
      .catch(() => undefined);
    const { begun, planned, inFlight, concurrency } = progress ?? {};
    if (begun === undefined || planned === undefined || !inFlight || concurrency === undefined) return false;
    return begun < planned && inFlight.length < concurrency;
  }

  /** The answer; undefined while the server is away. Throws what asking again will not change. */
  private async asked<T>(question: () => Promise<T>): Promise<T | undefined> {
    try {
      const answer = await this.client.withDeadline(Date.now() + ANSWER_MS, question);
      if (this.awaySince !== undefined) this.cli.say('· the server answers again');
      this.awaySince = undefined;
      return answer;
    } catch (error) {
      if (!isTransient(error)) throw error;
      this.beAway(error);
      return undefined;
    }
  }

  private beAway(error: unknown): void {
    const now = performance.now();
    this.awaySince ??= now;
    const [away, ours] = [now - this.awaySince, ownServerIsDown()];
    const seconds = Math.round(away / 1000);
    if (away > AWAY_MS[ours ? 'ours' : 'theirs']) {
      throw new PointsmanError(
        'Unavailable',
        `the Temporal server has not answered for ${seconds} s: ${reasonOf(error)}`,
        `${ours ? '`pointsman up` starts it; ' : ''}${this.id} is kept by the server and continues with it: \`${this.waiting.follow}\` follows it.`,
      );
    }
    if (away > 0 && now - this.toldAt < TELL_MS) return;
    this.toldAt = now;
    this.cli.say(
      `· the server does not answer${seconds > 0 ? ` since ${seconds} s` : ''}; it is asked again${ours ? ' (its process has ended: `pointsman up` starts it)' : ''}`,
    );
  }

  /** Where nobody looks, what stands in the way is said all the same, once per change. */
  private tellOf(described: WorkflowExecutionDescription): void {
    if (this.waiting.look) return;
    const now = described.status.name === 'PAUSED' ? 'paused' : retried(described);
    if (now !== undefined && now !== this.said) this.cli.say(`· ${now}`);
    this.said = now ?? '';
  }

  /** One look at a time, and none that the end has to wait for. */
  private look(described: WorkflowExecutionDescription): void {
    const { look } = this.waiting;
    if (!look || this.looking) return;
    this.over = new AbortController();
    // As many as there are questions in a look, which is no leak.
    setMaxListeners(0, this.over.signal);
    this.looking = this.client
      .withAbortSignal(this.over.signal, () => look(described))
      .catch((error: unknown) => {
        if (!this.ending && !isTransient(error)) this.failed = new LookFailed('look', { cause: error });
      })
      .finally(() => {
        this.looking = undefined;
      });
  }
}

/** What the server tries again and again. No query tells: the workflow itself only waits for it. */
export function retried(described: WorkflowExecutionDescription): string | undefined {
  const failing = failingIn(described);
  return failing && `${failing.activity}, attempt ${failing.attempt}: ${failing.why}`;
}

/** An activity of a workflow that has failed and is tried again, and with what it failed last. */
export function failingIn({ raw }: WorkflowExecutionDescription) {
  const failing = raw.pendingActivities?.find(({ lastFailure }) => lastFailure?.message);
  return (
    failing && { activity: failing.activityType?.name, attempt: failing.attempt, why: failing.lastFailure?.message }
  );
}

/** Why one that runs does not go on: it is parked, or something is tried again and again. Undefined where nothing is wrong. */
export async function standstill(client: Client, described: WorkflowExecutionDescription): Promise<string | undefined> {
  const parked = await parkedError(client, described);
  return parked ? `${parked.message}. ${parked.hint}` : retried(described);
}

async function parkedError(
  client: Client,
  described: WorkflowExecutionDescription,
): Promise<PointsmanError | undefined> {
  const reason = described.status.name === 'RUNNING' ? await parkedBecause(client, described) : undefined;
  if (reason === undefined) return undefined;
  const message = `${described.workflowId} is parked${reason ? `: ${reason}` : ''}`;
  return new PointsmanError('Unavailable', message, `Mend it, then \`${resumeCommand(described)}\` goes on.`);
}

interface Below {
  readonly parked: readonly WorkflowExecutionInfo[];
  /** Whether one that has none below itself is not parked. */
  readonly moving: boolean;
}

/** What runs below a workflow, at any depth. Nothing is parked where no worker has told the server of phases yet. */
async function lookBelow(client: Client, id: string): Promise<Below> {
  const named = `'${id.replaceAll("'", "''")}'`;
  // A campaign of a pipeline has the pipeline as its root.
  const query = `(RootWorkflowId = ${named} OR ParentWorkflowId = ${named}) AND ExecutionStatus = 'Running'`;
  const parked = await listed(client, `${query} AND Phase = 'Parked'`, id).catch((error: unknown) => {
    if (codeOf(error) === INVALID_ARGUMENT) return [];
    throw error;
  });
  if (parked.length === 0) return { parked, moving: true };
  const running = await listed(client, query, id);
  const parents = new Set(running.map(({ parentExecution }) => parentExecution?.workflowId));
  const waiting = new Set(parked.map(({ workflowId }) => workflowId));
  const moves = ({ workflowId }: WorkflowExecutionInfo) => !parents.has(workflowId) && !waiting.has(workflowId);
  return { parked, moving: running.length >= MOST_BELOW || running.some(moves) };
}

async function listed(client: Client, query: string, but: string): Promise<WorkflowExecutionInfo[]> {
  const found: WorkflowExecutionInfo[] = [];
  for await (const each of client.workflow.list({ query, pageSize: 200 })) {
    if (each.workflowId !== but) found.push(each);
    if (found.length >= MOST_BELOW) break;
  }
  return found;
}

/** Nouns of the command line by workflow type, of those that are steered by their id. */
export const NOUNS: Readonly<Record<string, string>> = {
  rollout: 'rollout',
  repoSetup: 'setup',
  campaign: 'campaign',
  pipeline: 'pipeline',
  evaluation: 'evaluation',
  functionProblems: 'function-problems',
  failureAnalysis: 'failures',
  covariateShift: 'covariate-shift',
};

function resumeCommand({ type, workflowId }: WorkflowExecutionDescription): string {
  const noun = NOUNS[type];
  return noun
    ? `pointsman ${noun} resume ${quote(workflowId)}`
    : `temporal workflow update execute --workflow-id ${quote(workflowId)} --name resume`;
}

/** Why a person has to mend something before it goes on, empty where no worker says; undefined where it is not parked. */
async function parkedBecause(client: Client, described: WorkflowExecutionDescription): Promise<string | undefined> {
  const phase = described.typedSearchAttributes.getAll().find(({ key }) => key.name === 'Phase')?.value;
  if (phase !== 'Parked') return undefined;
  const handle = client.workflow.getHandle(described.workflowId);
  const metadata = await client
    .withDeadline(Date.now() + 2_000, () => handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata'))
    .catch(() => undefined);
  return /^.*? — Parked: (.+)$/m.exec(metadata?.currentDetails ?? '')?.[1] ?? '';
}

/** What became of a workflow that ended without a result, in words, with what to do next. */
export function endingError({ status, workflowId, type }: WorkflowExecutionDescription, failure: unknown): Error {
  const noun = NOUNS[type];
  const show = noun ? `\`pointsman ${noun} show ${quote(workflowId)}\` shows what there is of it.` : '';
  const why = fromWorkflow(failure);
  const said = why instanceof Error ? why.message : '';
  switch (status.name) {
    case 'CANCELLED':
      return new PointsmanError('Unavailable', 'the workflow was cancelled', show);
    case 'TERMINATED':
      return new PointsmanError('Unavailable', terminatedWord(said), show);
    case 'TIMED_OUT':
      return new PointsmanError('Unavailable', 'the workflow ran out of its time', show);
    default:
      return why instanceof Error ? why : new PointsmanError('Unavailable', 'the workflow failed', show);
  }
}

function terminatedWord(reason: string): string {
  const said = /^Workflow execution terminated$/.test(reason) ? '' : reason;
  return `the workflow was terminated${said ? `: ${said}` : ''}`;
}

/** A workflow's failure as one of ours: the innermost cause says what happened. */
export function fromWorkflow(error: unknown): unknown {
  if (!(error instanceof WorkflowFailedError)) return error;
  let cause: unknown = error.cause;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  if (!(cause instanceof Error)) return error;
  if (error.cause instanceof CancelledFailure) return new Error('the workflow was cancelled');
  const { type, details } = cause as { type?: string; details?: unknown[] };
  // Refusals carry their hint twice: in the message for the UI, and by itself for us.
  const hint = (details?.[0] as { hint?: unknown } | undefined)?.hint;
  const said = typeof hint === 'string' && cause.message.endsWith(` — ${hint}`) ? hint : undefined;
  const message = said ? cause.message.slice(0, -` — ${said}`.length) : cause.message;
  return new PointsmanError((type as 'InvalidInput') ?? 'Unavailable', message, said ?? '');
}

/** gRPC codes of a server that is away or has too much to do: CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, INTERNAL, UNAVAILABLE. */
const TRANSIENT: readonly number[] = [1, 2, 4, 8, 10, 13, 14];

const [CANCELLED, INVALID_ARGUMENT] = [1, 3];

/** Whether asking again may help. */
function isTransient(error: unknown): boolean {
  return TRANSIENT.includes(codeOf(error) ?? -1);
}

/** Whether the question was given up by whoever asked. */
export function isAborted(error: unknown): boolean {
  return codeOf(error) === CANCELLED;
}

function codeOf(error: unknown): number | undefined {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if (isGrpcServiceError(each)) return each.code;
  }
  return undefined;
}

function reasonOf(error: unknown): string {
  let each = error as Error;
  while (each.cause instanceof Error) each = each.cause;
  return isGrpcServiceError(each) ? each.details || each.message : each.message;
}
