import { createHash, createHmac } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { type Config, profileNamed, sessionOf } from '../config';
import {
  type Endpoint,
  PointsmanError,
  parseInput,
  RolloutInput,
  type RolloutProgress,
  type RolloutResult,
  type TrainerAnswer,
  type TrainerEndpoint,
  type TrainerRollout,
  type TrainerState,
  type TrainerStep,
} from '../contract';
import { stableJson } from '../contract/stable-json';
import { homeSecret } from '../home';
import { missingAuthor } from '../rollout/handover';
import { rolloutDetails } from '../rollout/summary';
import type { Stores } from '../store';
import { answerOf, nameOfWorkflow, type RunName, STARTED_HERE, stepOf, workflowIdOf } from './answer';

export interface RunsOptions {
  readonly client: Client;
  readonly queue: string;
  readonly config: Config;
  readonly stores: Pick<Stores, 'transcripts' | 'sessionKeys' | 'problems' | 'shared'>;
  /** Unfinished runs at once. */
  readonly most: number;
  /** How long the same step may fail before nobody should wait for it. */
  readonly outageMs: number;
  /** Why a running one does not go on; undefined where nothing is wrong. */
  standstill(described: WorkflowExecutionDescription): Promise<string | undefined>;
}

/** There are as many unfinished runs as there may be. */
export class TooMany extends PointsmanError {
  constructor(most: number) {
    super('Unavailable', `${most} runs are unfinished, which is the most (--most)`, 'Send it again a little later.');
  }
}

/** The name stands for a run that was started with another body. */
export class OtherBody extends PointsmanError {
  constructor({ rolloutId, attempt }: RunName) {
    super(
      'InvalidInput',
      `rollout ${rolloutId}, attempt ${attempt}, was started with another body`,
      'The same name is the same run: give another rollout_id, or the next attempt.',
    );
  }
}

/** How often a waited run is asked whether something stands in its way. */
const LOOK_MS = 10_000;
/** How often a head is asked for while somebody reads steps. */
const STEPS_MS = 500;
const QUERY_MS = 5_000;
const AGAIN_MS = 1_000;

const STATES: Readonly<Record<string, TrainerState>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed_out',
};

/** A run that has not ended, and who waits for it. */
class Running {
  readonly waiting = new Set<(answer: TrainerAnswer) => void>();
  /** What fails again and again, and since when. */
  failing: { readonly what: string; readonly since: number } | undefined;
  outage: string | undefined;
  looked = 0;
  /** One question at a time, for all who ask. */
  asking: Promise<Seen> | undefined;
  askedAt = 0;

  constructor(
    readonly name: RunName,
    /** Of the body that it was started with. */
    readonly digest: string,
  ) {}

  tell(answer: TrainerAnswer): void {
    for (const told of [...this.waiting]) told(answer);
  }
}

interface Seen {
  readonly answer: TrainerAnswer;
  readonly head: string | undefined;
}

/**
 * Rollouts that trainers start, by name. Each unfinished one is waited for once, whoever asks; a name that exists is attached
 * to and never begun again.
 */
export class Runs {
  private readonly running = new Map<string, Running>();
  private readonly starts = new Map<string, Promise<unknown>>();
  private beginning = 0;
  private readonly over = new AbortController();

  constructor(private readonly given: RunsOptions) {
    setMaxListeners(0, this.over.signal);
  }

  /** Waits for what an earlier process started, and removes keys of what has ended since. */
  async resume(): Promise<void> {
    const { client, stores } = this.given;
    const query = `${STARTED_HERE} AND ExecutionStatus = 'Running'`;
    for await (const { workflowId, memo } of client.workflow.list({ query, pageSize: 200 })) {
      const name = nameOfWorkflow(workflowId);
      if (name && !this.running.has(workflowId)) this.watch(new Running(name, String(memo?.body ?? '')));
    }
    for (const { name, owner } of await stores.sessionKeys.all()) {
      if (this.running.has(owner)) continue;
      // A list of the server's may be a moment behind; what it says of one run is not.
      const described = owner === '' ? undefined : await describe(this.handleOf(owner));
      if (!described || !isOpen(described)) await stores.sessionKeys.remove(name);
    }
    void this.look();
  }

  close(): void {
    this.over.abort(
      new PointsmanError('Unavailable', 'the server ends', 'Ask again when it is back: the run goes on.'),
    );
  }

  get unfinished(): number {
    return this.running.size + this.beginning;
  }

  /**
   * Starts a rollout, or attaches to the one of that name. Throws `OtherBody`, `TooMany`, and `InvalidInput` for what the
   * configuration does not allow.
   */
  async start(body: TrainerRollout): Promise<{ readonly name: RunName; readonly created: boolean }> {
    const name = { rolloutId: body.rollout_id, attempt: body.attempt };
    const id = workflowIdOf(name);
    // Two bodies of one name at the same moment: the second looks at what the first has made.
    const before = this.starts.get(id);
    const started = (before ?? Promise.resolve()).catch(() => {}).then(() => this.startOnce(name, body));
    this.starts.set(id, started);
    try {
      return { name, created: await started };
    } finally {
      if (this.starts.get(id) === started) this.starts.delete(id);
    }
  }

  /** How it stands now. Throws `NotFound`. */
  async answer(name: RunName): Promise<TrainerAnswer> {
    return (await this.see(name)).answer;
  }

  /** The end, or how it stands after so many milliseconds, or once it is clear that it does not go on. Throws `NotFound`. */
  async wait(name: RunName, ms: number, gone?: AbortSignal): Promise<TrainerAnswer> {
    const run = ms > 0 ? await this.attached(name) : undefined;
    if (!run || run.outage !== undefined) return this.answer(name);
    const { over } = this;
    const told = await new Promise<TrainerAnswer | undefined>((resolve, reject) => {
      const done = (answer?: TrainerAnswer) => {
        leave();
        resolve(answer);
      };
      const late = ms < 2 ** 31 ? setTimeout(done, ms) : undefined;
      const left = () => {
        leave();
        reject(gone?.aborted ? gone.reason : over.signal.reason);
      };
      const leave = () => {
        clearTimeout(late);
        run.waiting.delete(done);
        gone?.removeEventListener('abort', left);
        over.signal.removeEventListener('abort', left);
      };
      run.waiting.add(done);
      gone?.addEventListener('abort', left);
      over.signal.addEventListener('abort', left);
      if (gone?.aborted || over.signal.aborted) left();
    });
    return told ?? this.answer(name);
  }

  /** Asks a run to end; one that has ended stays as it is. Gives how it stands. Throws `NotFound`. */
  async cancel(name: RunName): Promise<TrainerAnswer> {
    const { answer } = await this.see(name);
    if (answer.state !== 'running') return answer;
    await this.handleOf(workflowIdOf(name)).cancel();
    return answer;
  }

  /** The steps behind the first `after`, as they come, until it has ended. Throws `NotFound`. */
  async *steps(name: RunName, after: number, gone: AbortSignal): AsyncGenerator<TrainerStep, TrainerAnswer> {
    const { transcripts } = this.given.stores;
    let shown = after;
    let last: string | undefined;
    for (;;) {
      const { answer, head } = await this.see(name);
      if (head && head !== last) {
        const { steps, hashes } = await transcripts.chain(head);
        for (let at = shown; at < steps.length; at++) yield stepOf(await transcripts.see(steps[at]!), hashes[at]!);
        shown = Math.max(shown, steps.length);
        last = head;
      }
      if (answer.state !== 'running') return answer;
      await sleep(STEPS_MS, undefined, { signal: AbortSignal.any([gone, this.over.signal]) });
    }
  }

  private async startOnce(name: RunName, body: TrainerRollout): Promise<boolean> {
    const { client, queue, most, stores } = this.given;
    const id = workflowIdOf(name);
    const digest = digestOf(body);
    const known = this.running.get(id)?.digest ?? (await this.bodyOf(id));
    if (known !== undefined) {
      if (known !== digest) throw new OtherBody(name);
      // A trainer that has come back may have a new key for the same gateway.
      if (await this.attached(name)) await this.keepKeys(id, body);
      return false;
    }
    const input = this.inputOf(id, body);
    const problem = stores.shared ? await stores.problems.portable(input.problem) : input.problem;
    if (this.unfinished >= most) throw new TooMany(most);
    this.beginning++;
    try {
      await this.keepKeys(id, body);
      await client.workflow.start('rollout', {
        taskQueue: queue,
        workflowId: id,
        args: [{ ...input, problem }],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        memo: { body: digest },
        staticSummary: `for a trainer: ${name.rolloutId}, attempt ${name.attempt}`,
        staticDetails: rolloutDetails({ ...input, ...shownOf(input.problem), id }),
      });
      this.watch(new Running(name, digest));
      return true;
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) {
        for (const author of AUTHORS) await stores.sessionKeys.remove(keyName(id, author));
        throw error;
      }
      // Another process of ours was quicker.
      if ((await this.bodyOf(id)) !== digest) throw new OtherBody(name);
      return false;
    } finally {
      this.beginning--;
    }
  }

  /** What the workflow is given: keys by name, and only what the configuration lets an input ask for. */
  private inputOf(id: string, body: TrainerRollout): RolloutInput {
    const { config } = this.given;
    const { rollout_id: _, endpoints, ...fields } = body;
    const named = Object.fromEntries(
      AUTHORS.flatMap((author) => {
        const endpoint = endpoints?.[author];
        return endpoint ? [[author, endpointOf(id, author, endpoint)]] : [];
      }),
    );
    const input = parseInput(RolloutInput, { ...fields, ...(endpoints ? { endpoints: named } : {}) }, 'rollout');
    const missing = missingAuthor(input.handOver, input);
    if (missing)
      throw new PointsmanError('InvalidInput', `rollout: ${missing.author}: a profile name is needed`, missing.hint);
    for (const author of AUTHORS) {
      const profile = input[author];
      const endpoint = input.endpoints?.[author];
      if (profile) profileNamed(config, profile);
      if (!endpoint) continue;
      if (!profile)
        throw new PointsmanError('InvalidInput', `endpoints.${author}: there is no ${author}`, 'Name its profile.');
      if (endpoint.token && !endpoint.baseUrl)
        throw new PointsmanError('InvalidInput', `endpoints.${author}: apiKey needs baseUrl`, 'Say where it goes.');
      sessionOf(config, profile, endpoint);
    }
    return input;
  }

  private async keepKeys(owner: string, { endpoints }: TrainerRollout): Promise<void> {
    for (const author of AUTHORS) {
      const { apiKey, baseUrl } = endpoints?.[author] ?? {};
      if (apiKey && baseUrl)
        await this.given.stores.sessionKeys.keep(keyName(owner, author), { baseUrl, key: apiKey, owner });
    }
  }

  /** Digest of the body that a workflow of that id was started with; undefined where there is none. */
  private async bodyOf(id: string): Promise<string | undefined> {
    const described = await describe(this.handleOf(id));
    return described && String(described.memo?.body ?? '');
  }

  private handleOf(id: string): WorkflowHandle {
    return this.given.client.workflow.getHandle(id);
  }

  /** A run that has not ended, also one that another process has started. */
  private async attached(name: RunName): Promise<Running | undefined> {
    const id = workflowIdOf(name);
    if (this.running.has(id)) return this.running.get(id);
    const described = await describe(this.handleOf(id));
    if (!described || !isOpen(described)) return undefined;
    if (!this.running.has(id)) this.watch(new Running(name, String(described.memo?.body ?? '')));
    return this.running.get(id);
  }

  /** The one wait for a run, for all who ask. */
  private watch(run: Running): void {
    const id = workflowIdOf(run.name);
    this.running.set(id, run);
    void this.untilEnd(id).then(async (ended) => {
      if (!ended) return;
      for (const author of AUTHORS) await this.given.stores.sessionKeys.remove(keyName(id, author)).catch(() => {});
      this.running.delete(id);
      // Whoever waited is told; who comes later asks the server.
      run.tell(answerOf(run.name, ended));
    });
  }

  /** Undefined where this process ends first. A server that is away is asked again. */
  private async untilEnd(id: string): Promise<Ended | undefined> {
    const { signal } = this.over;
    while (!signal.aborted) {
      const handle = this.handleOf(id);
      try {
        await handle.result().catch((error: unknown) => {
          if (isGrpcServiceError(error) || isGrpcServiceError((error as Error).cause)) throw error;
        });
        const described = await describe(handle);
        // One that was reset goes on under its name.
        if (!described) return { state: 'terminated', trouble: 'the server does not know it any more' };
        if (!isOpen(described)) return await endOf(handle, described);
      } catch {
        await sleep(AGAIN_MS, undefined, { signal }).catch(() => {});
      }
    }
    return undefined;
  }

  /** How it stands, asked once for all who ask within the same moment. */
  private async see(name: RunName): Promise<Seen> {
    const run = this.running.get(workflowIdOf(name));
    if (!run) return this.ask(name, undefined);
    if (!run.asking || performance.now() - run.askedAt > STEPS_MS) {
      run.askedAt = performance.now();
      run.asking = this.ask(name, run.outage);
      run.asking.catch(() => {});
    }
    return run.asking;
  }

  private async ask(name: RunName, outage: string | undefined): Promise<Seen> {
    const handle = this.handleOf(workflowIdOf(name));
    const described = await describe(handle);
    if (!described) {
      throw new PointsmanError(
        'NotFound',
        `there is no rollout ${name.rolloutId}, attempt ${name.attempt}`,
        'POST /rollouts starts one.',
      );
    }
    if (!isOpen(described)) {
      const ended = await endOf(handle, described);
      return { answer: answerOf(name, ended), head: ended.result?.head };
    }
    const progress = await this.given.client
      .withDeadline(Date.now() + QUERY_MS, () => handle.query<RolloutProgress>('progress'))
      .catch(() => undefined);
    const standing = { state: 'running' as const, phase: progress?.phase, steps: progress?.turn };
    return {
      answer: answerOf(name, { ...standing, trouble: outage, outage: outage !== undefined }),
      head: progress?.head ?? undefined,
    };
  }

  /** Looks, while somebody waits, whether something stands in the way of what is waited for. */
  private async look(): Promise<void> {
    const { signal } = this.over;
    const every = Math.min(LOOK_MS, Math.max(100, this.given.outageMs / 2));
    while (!signal.aborted) {
      for (const run of [...this.running.values()]) {
        if (signal.aborted) return;
        const waited = run.waiting.size > 0 || run.outage !== undefined;
        if (waited && performance.now() - run.looked >= every) await this.lookAt(run).catch(() => {});
      }
      await sleep(Math.min(every, 1_000), undefined, { signal }).catch(() => {});
    }
  }

  private async lookAt(run: Running): Promise<void> {
    run.looked = performance.now();
    const described = await describe(this.handleOf(workflowIdOf(run.name)));
    const trouble = described && (await this.given.standstill(described));
    if (!described || trouble === undefined) {
      run.failing = undefined;
      run.outage = undefined;
      return;
    }
    const what = failingOf(described);
    if (run.failing?.what !== what) run.failing = { what, since: performance.now() };
    const lasts = performance.now() - run.failing.since >= this.given.outageMs;
    run.outage = what === PARKED || lasts ? trouble : undefined;
    if (run.outage !== undefined)
      run.tell(answerOf(run.name, { state: 'running', trouble, outage: true, steps: stepsOf(described) }));
  }
}

const AUTHORS = ['student', 'expert'] as const;

interface Ended {
  readonly state: TrainerState;
  readonly result?: RolloutResult;
  readonly trouble?: string;
}

async function endOf(handle: WorkflowHandle, described: WorkflowExecutionDescription): Promise<Ended> {
  const state = STATES[described.status.name] ?? 'failed';
  // A cancelled one leaves what it came to in its memo.
  const kept = described.memo?.result as RolloutResult | undefined;
  if (state !== 'completed' && kept) return { state, result: kept };
  try {
    return { state, result: (await handle.result()) as RolloutResult };
  } catch (error) {
    if (isGrpcServiceError(error) || isGrpcServiceError((error as Error).cause)) throw error;
    return { state, trouble: innermost(error) };
  }
}

function innermost(error: unknown): string {
  let each = error as Error;
  while (each.cause instanceof Error) each = each.cause;
  return each.message;
}

async function describe(handle: WorkflowHandle): Promise<WorkflowExecutionDescription | undefined> {
  return handle.describe().catch((error: unknown) => {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  });
}

/** Also of one that is paused. */
function isOpen({ closeTime }: WorkflowExecutionDescription): boolean {
  return closeTime === undefined;
}

const PARKED = 'parked';

/** Names what fails, so that trouble of one step is not taken for that of the next. */
function failingOf(described: WorkflowExecutionDescription): string {
  const failing = described.raw.pendingActivities?.find(({ lastFailure }) => lastFailure?.message);
  return failing ? String(failing.activityId) : PARKED;
}

function stepsOf(described: WorkflowExecutionDescription): number {
  const found = described.typedSearchAttributes.getAll().find(({ key }) => key.name === 'Step')?.value;
  return typeof found === 'number' ? found : 0;
}

/** The same for the same run and author, and guessed by nobody outside of this home. */
function keyName(owner: string, author: string): string {
  return createHmac('sha256', homeSecret()).update(`${owner}/${author}`).digest('hex');
}

function endpointOf(owner: string, author: string, { apiKey, ...endpoint }: TrainerEndpoint): Endpoint {
  if (apiKey === undefined) return endpoint;
  if (endpoint.apiKeyEnv !== undefined)
    throw new PointsmanError('InvalidInput', `endpoints.${author}: apiKey and apiKeyEnv`, 'Give one of them.');
  return { ...endpoint, token: keyName(owner, author) };
}

/** What a body asks for, keys left out: those may be renewed. */
function digestOf({ endpoints, ...body }: TrainerRollout): string {
  const shown = AUTHORS.map((author) => {
    const { apiKey, ...rest } = endpoints?.[author] ?? {};
    return { ...rest, keyed: apiKey !== undefined };
  });
  return createHash('sha256')
    .update(stableJson({ ...body, endpoints: endpoints ? shown : null }))
    .digest('hex');
}

/** Of the problem, as far as the request says it: elsewhere it is read by a worker. */
function shownOf(problem: RolloutInput['problem']): { readonly instance: string; readonly statement?: string } {
  if (typeof problem === 'string') return { instance: problem };
  return 'statement' in problem
    ? { instance: problem.id, statement: problem.statement }
    : { instance: problem.sha256.slice(0, 12) };
}
