import {
  type Client,
  type WorkflowExecutionDescription,
  type WorkflowExecutionInfo,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { isPointsmanError, nearest, PointsmanError } from '../contract';
import { temporalEnvironment, uiBeside } from '../machine/local-services';
import type { RunStatus } from '../pages/shown-run';
import type { BlobStore } from '../store/blobs';
import type { Cli } from './context';
import { endingError, isAborted, standstill } from './wait';

/** A workflow that the server knows. */
export interface LookedUp {
  readonly client: Client;
  readonly handle: WorkflowHandle;
  readonly described: WorkflowExecutionDescription;
  /** Its page in the Temporal UI, where there is one. */
  readonly ui?: string;
}

/** What the server knows of a workflow of one type. */
export interface Found<P, R> extends LookedUp {
  readonly progress?: P;
  /** Of a completed one, and of a cancelled one that left a result in its memo. */
  readonly result?: R;
  /** Why it failed, or what is tried again and again. */
  readonly trouble?: string;
}

/** Ids that are compared with what was typed, and those that are named where it was too short. */
const [COMPARED, NAMED] = [1_000, 5];

/**
 * The id that a word names: itself where there is such a workflow, else the only one of that type that begins like it, or that
 * begins and ends as `start…end` says, which is how lists cut long ids. A word that names nothing, or a chain, is given back as
 * it is. Throws `InvalidInput` where several begin like that.
 */
export async function wholeId(cli: Cli, word: string, type: string): Promise<string> {
  if (await findHead(cli.blobs, word)) return word;
  const client = await cli.client();
  const exact = await client.workflow
    .getHandle(word)
    .describe()
    .catch((error: unknown) => {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    });
  if (exact) return word;
  const [start = '', end = ''] = word.split('…');
  const query = `${equals('WorkflowType', type)} AND WorkflowId STARTS_WITH '${start.replaceAll("'", "''")}'`;
  const found = new Set<string>();
  for await (const { workflowId } of client.workflow.list({ query, pageSize: 200 })) {
    if (workflowId.length >= start.length + end.length && workflowId.endsWith(end)) found.add(workflowId);
    if (found.size >= COMPARED) break;
  }
  const [only = word, ...others] = found;
  if (others.length === 0) return only;
  const names = [...found].slice(0, NAMED).join(', ');
  throw new PointsmanError(
    'InvalidInput',
    `${word}: ${found.size}${found.size >= COMPARED ? ' or more' : ''} begin like that: ${names}${found.size > NAMED ? ', …' : ''}`,
    'Give more of it.',
  );
}

/** Throws `InvalidInput` for a workflow of another type than `type`, which people call `noun`. */
export async function lookUp(cli: Cli, id: string, type: string, noun = type): Promise<LookedUp> {
  const [client, local] = [await cli.client(), await cli.local()];
  const ui = local.ui ?? (await uiBeside(local.address));
  const handle = client.workflow.getHandle(id);
  const described = await handle.describe();
  if (described.type !== type)
    throw new PointsmanError(
      'InvalidInput',
      `${id} is a ${described.type} workflow, not a ${noun}`,
      `\`${temporalEnvironment()}temporal workflow show --workflow-id ${id}\` shows it.`,
    );
  return { client, handle, described, ...(ui ? { ui: cli.uiLink(ui, client, id) } : {}) };
}

/** Looks a workflow up, with how it goes or how it ended. Throws `InvalidInput` for one of another type. */
export async function findWorkflow<P, R>(cli: Cli, id: string, type: string): Promise<Found<P, R>> {
  const found = await lookUp(cli, id, type);
  const { client, handle, described } = found;
  const { result, trouble } = await endingOf<R>(handle, described);
  const progress = statusOf(described) === 'running' ? await askProgress<P>(client, handle) : undefined;
  const said = [trouble, await standstill(client, described)].filter(Boolean).join('; ');
  return {
    ...found,
    progress,
    result,
    ...(said ? { trouble: said } : {}),
  };
}

export interface Ending<R> {
  readonly result?: R;
  readonly trouble?: string;
}

/** The result of a completed one, the memo's of a cancelled one; why a failed one failed; nothing of one that runs. */
export async function endingOf<R>(handle: WorkflowHandle, described: WorkflowExecutionDescription): Promise<Ending<R>> {
  const status = statusOf(described);
  if (status === 'running') return {};
  if (status === 'cancelled') return { result: described.memo?.result as R | undefined };
  return resultOrTrouble(handle, described);
}

/** Of one that has ended. */
export async function resultOrTrouble<R>(
  handle: WorkflowHandle,
  described: WorkflowExecutionDescription,
): Promise<Ending<R>> {
  try {
    return { result: (await handle.result()) as R };
  } catch (error) {
    return { trouble: endingError(described, error).message };
  }
}

/** `show` of what failed ends as a program that failed does. */
export function exitAs(status: RunStatus | 'kept'): void {
  if (status === 'failed' || status === 'terminated' || status === 'timed out') process.exitCode = 1;
}

/** Why something is not in the store here, with what to do about it. */
export function missingWord(error: Error): string {
  return isPointsmanError(error) && error.hint ? `${error.message}. ${error.hint}` : error.message;
}

/** Undefined when no worker answers. Throws only where the wait that asks is over. */
export async function askProgress<P>(client: Client, handle: WorkflowHandle): Promise<P | undefined> {
  const asked = () => handle.query<P>('progress');
  return client.withDeadline(Date.now() + 5_000, asked).catch((error: unknown) => {
    if (isAborted(error)) throw error;
    return undefined;
  });
}

export function statusOf({ status }: { status: { name: string } }): RunStatus {
  const names: Record<string, RunStatus> = {
    COMPLETED: 'completed',
    FAILED: 'failed',
    CANCELLED: 'cancelled',
    TERMINATED: 'terminated',
    TIMED_OUT: 'timed out',
  };
  return names[status.name] ?? 'running';
}

export interface Attributes {
  readonly InstanceId?: string;
  readonly Student?: string;
  readonly Expert?: string;
  readonly Phase?: string;
  readonly Outcome?: string;
  readonly Step?: number;
  readonly SwitchIndex?: number;
  readonly CostUsd?: number;
  readonly Resolved?: boolean;
}

/** The search attributes by name. */
export function attributesOf(execution: Pick<WorkflowExecutionDescription, 'typedSearchAttributes'>): Attributes {
  return Object.fromEntries(execution.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]));
}

/** What the server's visibility finds, newest first and at most so many. Says how to ask by hand. */
export async function newest(cli: Cli, query: string, limit: number): Promise<WorkflowExecutionInfo[]> {
  const client = await cli.client();
  const found: WorkflowExecutionInfo[] = [];
  for await (const each of client.workflow.list({ query, pageSize: Math.min(limit, 200) || 1 })) {
    if (found.length >= limit) break;
    found.push(each);
  }
  cli.say(`by hand: ${temporalEnvironment()}temporal workflow list --query "${query}"`);
  if (found.length === limit) {
    const { count } = await client.workflow.count(query);
    if (count > limit) cli.say(`${limit} of ${count} shown; --limit shows more`);
  }
  return found;
}

/** A condition of a visibility query. */
export function equals(attribute: string, value: string): string {
  return `${attribute} = '${value.replaceAll("'", "''")}'`;
}

const STATUSES: Readonly<Record<string, string>> = {
  running: "ExecutionStatus = 'Running'",
  completed: "ExecutionStatus = 'Completed'",
  failed: "ExecutionStatus = 'Failed'",
  cancelled: "ExecutionStatus = 'Canceled'",
  terminated: "ExecutionStatus = 'Terminated'",
};

/**
 * The condition for a word that may be a status of the workflow, one of `own` (words with their conditions) or an outcome.
 * Throws `InvalidInput` with the word that comes closest.
 */
export function stateCondition(
  status: string,
  own: Readonly<Record<string, string>>,
  outcomes: readonly string[],
): string {
  const condition =
    STATUSES[status] ?? own[status] ?? (outcomes.includes(status) ? equals('Outcome', status) : undefined);
  if (condition) return condition;
  const known = [...new Set([...Object.keys(STATUSES), ...Object.keys(own), ...outcomes])];
  const close = nearest(status, known);
  throw new PointsmanError(
    'InvalidInput',
    `--state: no state "${status}"${close ? `, did you mean "${close}"?` : ''}`,
    `Known: ${known.join(', ')}.`,
  );
}

const HASH = /^(?:sha256[:-]?)?([0-9a-f]{8,64})$/;

/**
 * The blob that a hash, whole or its first 8 digits or more, names in the store; undefined where nothing does, because a
 * workflow's id may look like that too.
 */
export async function findHead(blobs: BlobStore, word: string): Promise<string | undefined> {
  const start = HASH.exec(word)?.[1];
  if (!start) return undefined;
  const found = await blobs.beginningWith(start);
  if (found.length > 1) {
    throw new PointsmanError('InvalidInput', `${word}: ${found.length} blobs begin like that`, 'Give more digits.');
  }
  return found[0];
}
