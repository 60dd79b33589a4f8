import type { WorkflowHandle, WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { temporalEnvironment } from '../machine/local-services';
import { quote } from '../rollout/shell';
import type { Cli, StartOptions } from './context';
import { askProgress } from './lookup';
import type { StartFlags } from './options';
import { retried, waited } from './wait';

/** Says on standard error where it is, once per change, until it ends. A worker that is killed meanwhile is waited for. */
export async function followed<P, R>(
  cli: Cli,
  handle: WorkflowHandle,
  { follow, line }: { readonly follow: string; line(progress: P): string },
): Promise<R> {
  const client = await cli.client();
  let said = '';
  return waited<R>(cli, handle, {
    follow,
    look: async (described) => {
      const progress = await askProgress<P>(client, handle);
      const trouble = retried(described);
      const now = progress ? [line(progress), trouble].filter(Boolean).join(' · ') : NO_WORKER;
      if (now !== said) cli.say(`· ${now}`);
      said = now;
    },
  });
}

/** Said while nobody works at it. */
export const NO_WORKER = 'no worker answers; `pointsman up` starts one that is missing';

/** Starts a workflow and waits for its result. Throws what it failed with. */
export async function runToEnd<R>(cli: Cli, type: string, input: unknown, options: StartOptions): Promise<R> {
  const handle = await cli.start(type, input, options);
  return waited<R>(cli, handle, {
    follow: `${temporalEnvironment()}temporal workflow show --workflow-id ${quote(options.id)}`,
  });
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
  if (wait) return waited<R>(cli, handle, { follow });
  cli.say(`${later}: ${follow}`);
  printStarted(cli, handle);
  return undefined;
}
