import type { Client, WorkflowHandle } from '@temporalio/client';
import type { RepoSetupResult, SetupProgress, SetupRole } from '../contract';
import type { ShownSetup, ShownSetupStep } from '../view/setup/shown-setup';
import { findHead } from './chain-reading';
import type { Cli } from './context';
import { askProgress, attributesOf, type Ending, lookUp, resultOrTrouble, retried, statusOf } from './found-workflow';
import { roleHeadInHistory } from './setup-history';

/** A set-up by workflow id, or a role's chain by the (abbreviated) hash of its head. Throws `NotFound`. */
export async function readSetup(cli: Cli, idOrHash: string, role: SetupRole = 'agent'): Promise<ShownSetup> {
  const head = await findHead(cli.blobs, idOrHash);
  return head ? readChain(cli, head) : readWorkflow(cli, idOrHash, role);
}

/** The steps behind a head, each with its output and whether a later one took it back. Throws `NotFound`. */
export async function loadSetupSteps(
  cli: Cli,
  head: string,
): Promise<{ source: string; role: SetupRole; steps: ShownSetupStep[] }> {
  const { setupChains } = cli;
  const { opening, steps, hashes } = await setupChains.chain(head);
  const undone = new Map(steps.flatMap(({ turn, undoes }) => undoes.map((each) => [each, turn.turn] as const)));
  const outputs = await Promise.all(steps.map((step) => setupChains.output(step)));
  return {
    source: opening.source,
    role: opening.role,
    steps: steps.map((step, at) => ({
      ...step,
      hash: hashes[at]!,
      output: outputs[at]!,
      undoneBy: undone.get(step.turn.turn) ?? null,
    })),
  };
}

async function readChain(cli: Cli, head: string): Promise<ShownSetup> {
  const chain = await loadSetupSteps(cli, head);
  return {
    id: null,
    status: 'chain',
    ...chain,
    agent: chain.steps.at(-1)?.turn.policy,
    head,
    links: [['blob', cli.blobs.addressOf(head)]],
  };
}

async function readWorkflow(cli: Cli, id: string, role: SetupRole): Promise<ShownSetup> {
  const { client, handle, described, ui } = await lookUp(cli, id, 'repoSetup', 'set-up');
  const status = statusOf(described);
  const runs = status === 'running';
  const { result, trouble }: Ending<RepoSetupResult> = runs ? {} : await resultOrTrouble(handle);
  const progress = runs ? await askProgress<SetupProgress>(client, handle) : undefined;
  const head = await headOf(client, handle, role, result, progress);
  // A store elsewhere is no reason to hide what the server knows.
  const chain = head ? await loadSetupSteps(cli, head).catch((error: Error) => error) : undefined;
  const missing = chain instanceof Error ? chain.message : undefined;
  const attributes = attributesOf(described);
  return {
    id,
    status,
    phase: progress?.phase ?? attributes.Phase,
    source: result?.source ?? attributes.InstanceId ?? 'a set-up that has not begun',
    role,
    agent: attributes.Student,
    startedAt: described.startTime,
    endedAt: described.closeTime,
    steps: chain && !(chain instanceof Error) ? chain.steps : [],
    progress,
    result,
    trouble: [trouble, retried(described), missing].filter(Boolean).join('; ') || undefined,
    head,
    links: [...(ui ? [['UI', ui] as const] : []), ...(head ? [['blob', cli.blobs.addressOf(head)] as const] : [])],
  };
}

/** Of an ended run from its result, of a running agent from its query, of all others from the history. */
async function headOf(
  client: Client,
  handle: WorkflowHandle,
  role: SetupRole,
  result: RepoSetupResult | undefined,
  progress: SetupProgress | undefined,
): Promise<string | undefined> {
  switch (role) {
    case 'agent':
      return result?.head || progress?.head || (await roleHeadInHistory(handle, role));
    case 'verifier':
      return result?.verifier?.head || (await roleHeadInHistory(handle, role));
    case 'prosecutor':
    case 'judge': {
      const known = result?.verdict?.heads[role];
      if (known || result) return known || undefined;
      // The court is a workflow of its own; where it does not sit yet, there is no chain.
      const court = client.workflow.getHandle(`${handle.workflowId}/verdict`);
      return roleHeadInHistory(court, role).catch(() => undefined);
    }
    default:
      return role satisfies never;
  }
}
