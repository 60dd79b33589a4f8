import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle, WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { quote } from '../rollout/shell';
import { type Cli, resultFrom } from './context';
import { askProgress, retried } from './lookup';
import type { StartFlags } from './options';

const POLL_MS = 1_000;

/** Waits for the end. Ctrl-C stops the waiting, never the workflow. Throws what it failed with. */
export async function waited<R>(cli: Cli, handle: WorkflowHandle, follow: string): Promise<R> {
  const leave = () => {
    cli.say(`${handle.workflowId} continues; \`${follow}\` follows it`);
    process.exit(130);
  };
  process.once('SIGINT', leave);
  try {
    return await resultFrom<R>(handle);
  } finally {
    process.off('SIGINT', leave);
  }
}

export type Ended<R> = { readonly result: R } | { readonly error: unknown };

/** Does `look` every so many milliseconds until `ending` has settled, and says how. Throws only what `look` throws. */
export async function whileWaiting<R>(
  ending: Promise<R>,
  everyMs: number,
  look: () => Promise<void>,
): Promise<Ended<R>> {
  let ended: Ended<R> | undefined;
  const settled = ending.then(
    (result) => (ended = { result }),
    (error: unknown) => (ended = { error }),
  );
  while (!ended) {
    await look();
    await Promise.race([settled, sleep(everyMs)]);
  }
  return settled;
}

/** The result; throws what it failed with. */
export function resultOf<R>(ended: Ended<R>): R {
  if ('error' in ended) throw ended.error;
  return ended.result;
}

/** Says on standard error where it is, once per change, until it ends. A worker that is killed meanwhile is waited for. */
export async function followed<P, R>(
  cli: Cli,
  handle: WorkflowHandle,
  { follow, line }: { readonly follow: string; line(progress: P): string },
): Promise<R> {
  const client = await cli.client();
  let said = '';
  const ended = await whileWaiting(waited<R>(cli, handle, follow), POLL_MS, async () => {
    const progress = await askProgress<P>(client, handle);
    const trouble = retried(await handle.describe());
    const now = progress ? [line(progress), trouble].filter(Boolean).join(' · ') : 'no worker answers';
    if (now !== said) cli.say(`· ${now}`);
    said = now;
  });
  return resultOf(ended);
}

/** `pointsman campaign watch ID`. */
export function watchCommand(noun: string, { workflowId }: WorkflowHandle): string {
  return `pointsman ${noun} watch ${quote(workflowId)}`;
}

/** Prints the id of what was just started. */
export function printStarted(
  cli: Cli,
  { workflowId, firstExecutionRunId }: WorkflowHandleWithFirstExecutionRunId,
): void {
  cli.print({ id: workflowId, runId: firstExecutionRunId }, () => workflowId);
}

export interface Awaiting<R> extends Pick<StartFlags, 'wait' | 'watch'> {
  /** The command that shows later how it goes, or what came of it. */
  readonly follow: string;
  /** When that is of use. */
  readonly later?: string;
  /** Shows how it goes until its end. */
  watched(): Promise<R>;
}

/**
 * The end of a start command: the result with `--wait` or `--watch`. Without them it prints the id, says how to follow it, and
 * gives undefined. Throws what the workflow failed with.
 */
export async function resultIfAwaited<R>(
  cli: Cli,
  handle: WorkflowHandleWithFirstExecutionRunId,
  { wait, watch, follow, later = 'follow it', watched }: Awaiting<R>,
): Promise<R | undefined> {
  if (watch) return watched();
  if (wait) return waited<R>(cli, handle, follow);
  cli.say(`${later}: ${follow}`);
  printStarted(cli, handle);
  return undefined;
}
