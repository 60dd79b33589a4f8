import type { Client, WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import {
  type FunctionProblemsProgress,
  type FunctionProblemsResult,
  RejectedFunction,
  SwitchyardError,
} from '../contract';
import type { ShownBuild } from '../view/problems/shown-build';
import { type Cli, fromWorkflow } from './context';
import { instancesIn } from './instances-file';
import { attributesOf, retried, statusOf } from './rollout-reading';
import { uiBeside } from './services-status';

/** A build by workflow id, with its problems where it has ended. Throws `InvalidInput` for another workflow. */
export async function readBuild(cli: Cli, id: string): Promise<ShownBuild> {
  const [client, local] = [await cli.client(), await cli.local()];
  const ui = local.ui ?? (await uiBeside(local.address));
  const handle = client.workflow.getHandle(id);
  const described = await handle.describe();
  if (described.type !== 'functionProblems') {
    throw new SwitchyardError(
      'InvalidInput',
      `${id} is a ${described.type} workflow, not a build of function problems`,
      `\`temporal workflow show --workflow-id ${id}\` shows it.`,
    );
  }
  const status = statusOf(described);
  const { result, trouble } = await endingOf(handle, described);
  // A store elsewhere is no reason to hide what the server knows.
  const kept = result ? await keptOf(cli, result).catch((error: Error) => error) : undefined;
  const missing = kept instanceof Error ? kept.message : undefined;
  return {
    id,
    status,
    from: result?.environment.source ?? result?.environment.image ?? attributesOf(described).InstanceId ?? id,
    startedAt: described.startTime,
    endedAt: described.closeTime,
    progress: status === 'running' ? await buildProgressOf(client, handle) : undefined,
    result,
    instances: kept && !(kept instanceof Error) ? kept.instances : [],
    rejected: kept && !(kept instanceof Error) ? kept.rejected : [],
    trouble: [trouble, retried(described), missing].filter(Boolean).join('; ') || undefined,
    links: [
      ...(ui ? [['UI', cli.uiLink(ui, client, id)] as const] : []),
      ...(result ? [['problems', cli.blobs.pathOf(result.instances.sha256)] as const] : []),
      ...(result ? [['report', cli.blobs.pathOf(result.report.sha256)] as const] : []),
    ],
  };
}

async function keptOf(cli: Cli, { instances, rejected }: FunctionProblemsResult) {
  const text = async (sha256: string) => (await cli.blobs.get(sha256)).toString('utf8');
  const lines = (await text(rejected.sha256)).split('\n').filter((line) => line !== '');
  return {
    instances: instancesIn(await text(instances.sha256), 'problems'),
    rejected: lines.map((line) => RejectedFunction.parse(JSON.parse(line))),
  };
}

async function endingOf(
  handle: WorkflowHandle,
  described: WorkflowExecutionDescription,
): Promise<{ result?: FunctionProblemsResult; trouble?: string }> {
  if (statusOf(described) === 'running') return {};
  try {
    return { result: (await handle.result()) as FunctionProblemsResult };
  } catch (error) {
    const cause = fromWorkflow(error);
    return { trouble: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** Undefined when no worker answers. */
export async function buildProgressOf(
  client: Client,
  handle: WorkflowHandle,
): Promise<FunctionProblemsProgress | undefined> {
  const asked = () => handle.query<FunctionProblemsProgress>('progress');
  return client.withDeadline(Date.now() + 5_000, asked).catch(() => undefined);
}
