import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { SwitchyardError } from '../contract';
import { type Cli, fromWorkflow } from './context';
import { retried, statusOf } from './rollout-reading';
import { uiBeside } from './services-status';

const POLL_MS = 1_000;

/** Waits for the end. Ctrl-C stops the waiting, never the workflow. Throws what it failed with. */
export async function waited<R>(cli: Cli, handle: WorkflowHandle, follow: string): Promise<R> {
  const leave = () => {
    cli.say(`${handle.workflowId} goes on; \`${follow}\` follows it`);
    process.exit(130);
  };
  process.once('SIGINT', leave);
  try {
    return (await handle.result()) as R;
  } catch (error) {
    throw fromWorkflow(error);
  } finally {
    process.off('SIGINT', leave);
  }
}

/** Says on standard error where it is, once per change, until it ends. A worker that is killed meanwhile is waited for. */
export async function followed<P, R>(
  cli: Cli,
  handle: WorkflowHandle,
  { follow, line }: { readonly follow: string; line(progress: P): string },
): Promise<R> {
  const client = await cli.client();
  const ending = waited<R>(cli, handle, follow).then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  let ended = false;
  void ending.then(() => (ended = true));
  for (let said = ''; !ended; await Promise.race([ending, sleep(POLL_MS)])) {
    const progress = await askProgress<P>(client, handle);
    const trouble = retried(await handle.describe());
    const now = progress ? [line(progress), trouble].filter(Boolean).join(' · ') : 'no worker answers';
    if (now !== said) cli.say(`· ${now}`);
    said = now;
  }
  const end = await ending;
  if ('error' in end) throw end.error;
  return end.result;
}

/** What the server knows of a workflow of one type. */
export interface Found<P, R> {
  readonly handle: WorkflowHandle;
  readonly described: WorkflowExecutionDescription;
  readonly progress?: P;
  /** Of a completed one, and of a cancelled one that left a result in its memo. */
  readonly result?: R;
  /** Why it failed, or what is tried again and again. */
  readonly trouble?: string;
  /** Its page in the Temporal UI, where there is one. */
  readonly ui?: string;
}

/** Looks a workflow up. Throws `InvalidInput` for one of another type. */
export async function findWorkflow<P, R>(cli: Cli, id: string, type: string): Promise<Found<P, R>> {
  const [client, local] = [await cli.client(), await cli.local()];
  const ui = local.ui ?? (await uiBeside(local.address));
  const handle = client.workflow.getHandle(id);
  const described = await handle.describe();
  if (described.type !== type)
    throw new SwitchyardError(
      'InvalidInput',
      `${id} is a ${described.type} workflow, not a ${type}`,
      `\`temporal workflow show --workflow-id ${id}\` shows it.`,
    );
  const { result, trouble } = await endingOf<R>(handle, described);
  const progress = statusOf(described) === 'running' ? await askProgress<P>(client, handle) : undefined;
  const said = [trouble, retried(described)].filter(Boolean).join('; ');
  return {
    ...{ handle, described },
    ...(progress ? { progress } : {}),
    ...(result ? { result } : {}),
    ...(said ? { trouble: said } : {}),
    ...(ui ? { ui: cli.uiLink(ui, client, id) } : {}),
  };
}

async function endingOf<R>(
  handle: WorkflowHandle,
  described: WorkflowExecutionDescription,
): Promise<{ result?: R; trouble?: string }> {
  const status = statusOf(described);
  if (status === 'running') return {};
  if (status === 'cancelled') return { result: described.memo?.result as R | undefined };
  try {
    return { result: (await handle.result()) as R };
  } catch (error) {
    const cause = fromWorkflow(error);
    return { trouble: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** Undefined when no worker answers. */
async function askProgress<P>(client: Client, handle: WorkflowHandle): Promise<P | undefined> {
  const asked = () => handle.query<P>('progress');
  return client.withDeadline(Date.now() + 5_000, asked).catch(() => undefined);
}
