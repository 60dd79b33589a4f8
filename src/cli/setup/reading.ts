import type { Client, WorkflowHandle } from '@temporalio/client';
import type { Ref, RepoSetupResult, SetupProgress, SetupRole } from '../../contract';
import type { ShownSetup, ShownSetupStep } from '../../pages/shown-setup';
import { quote } from '../../rollout/shell';
import { eventsOf, firstValue } from '../../store/history';
import { type Cli, look } from '../context';
import {
  askProgress,
  attributesOf,
  type Ending,
  findHead,
  lookUp,
  missingWord,
  resultOrTrouble,
  statusOf,
} from '../lookup';
import { refusedOf } from '../rollout/reading';
import { safeLine } from '../terminal/safe-text';
import { claimLines } from '../terminal/setup/header';
import { standstill } from '../wait';

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
  const { result, trouble }: Ending<RepoSetupResult> = runs ? {} : await resultOrTrouble(handle, described);
  const progress = runs ? await askProgress<SetupProgress>(client, handle) : undefined;
  const head = await headOf(client, handle, role, result, progress);
  // A store elsewhere is no reason to hide what the server knows.
  const chain = head ? await loadSetupSteps(cli, head).catch((error: Error) => error) : undefined;
  const missing = chain instanceof Error ? missingWord(chain) : undefined;
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
    refused: role === 'agent' ? await refusedOf(cli, result) : [],
    progress,
    result,
    trouble: [trouble, await standstill(client, described), missing].filter(Boolean).join('; ') || undefined,
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
      // The verdict is a workflow of its own; before it starts there is no chain.
      const verdict = client.workflow.getHandle(`${handle.workflowId}/verdict`);
      return roleHeadInHistory(verdict, role).catch(() => undefined);
    }
    default:
      return role satisfies never;
  }
}

/** Activities that append to a chain, and those that every role's chain is made with. */
const AGENT: readonly string[] = ['runSetup', 'appendSetupStep'];
const OTHERS: readonly string[] = ['makeMove', 'openSetupChain'];

/**
 * The newest chain head of a role that a workflow's history names: needs no worker, unlike the query, and is there for a
 * run that failed or was cancelled too.
 */
async function roleHeadInHistory(handle: WorkflowHandle, role: SetupRole): Promise<string | undefined> {
  const events = await eventsOf(handle);
  const asked = new Map(
    events.map((event) => [String(event.eventId), event.activityTaskScheduledEventAttributes] as const),
  );
  for (const { activityTaskCompletedEventAttributes: done } of [...events].reverse()) {
    const scheduled = done && asked.get(String(done.scheduledEventId));
    const type = scheduled?.activityType?.name ?? '';
    const by = OTHERS.includes(type) ? firstValue<{ role?: string }>(scheduled?.input)?.role : 'agent';
    if (![...AGENT, ...OTHERS].includes(type) || by !== role) continue;
    const head = firstValue<{ head?: unknown }>(done?.result)?.head;
    if (typeof head === 'string' && head !== '') return head;
  }
  return undefined;
}

/** What `--wait --json` prints: who says what as one word each, bodies as text, the rest as the workflow gives it. */
type SetupAnswer = Omit<RepoSetupResult, 'verifier' | 'verdict' | 'dockerfile' | 'script' | 'lock'> & {
  readonly verdict: 'not_guilty' | 'guilty' | 'error' | null;
  readonly verifier: boolean | null;
  readonly dockerfile: string | null;
  readonly script: string | null;
  readonly lock: string | null;
  readonly verification: RepoSetupResult['verifier'];
  readonly charges: NonNullable<RepoSetupResult['verdict']>['charges'];
  readonly findings: NonNullable<RepoSetupResult['verdict']>['findings'];
};

export async function setupAnswer(cli: Cli, result: RepoSetupResult): Promise<SetupAnswer> {
  const { verifier, verdict, dockerfile, script, lock, ...rest } = result;
  const text = async (ref: Ref | null) => (ref ? (await cli.blobs.get(ref.sha256)).toString('utf8') : null);
  return {
    ...rest,
    verdict: verdict?.verdict ?? null,
    verifier: verifier?.success ?? null,
    dockerfile: await text(dockerfile),
    script: await text(script),
    lock: await text(lock),
    verification: verifier,
    charges: verdict?.charges ?? [],
    findings: verdict?.findings ?? [],
  };
}

/** Verified, and not guilty where it was judged. */
export function succeeded({ status, verdict }: Pick<RepoSetupResult, 'status' | 'verdict'>): boolean {
  return status === 'verified' && (verdict === null || verdict.verdict === 'not_guilty');
}

export async function printSetupAnswer(cli: Cli, result: RepoSetupResult): Promise<void> {
  const answer = await setupAnswer(cli, result);
  cli.print(answer, () => answerText(result).join('\n'));
}

function answerText(result: RepoSetupResult): string[] {
  const id = quote(result.id);
  const { status, detail, reproduced, reproducedDetail, image } = result;
  const again = reproduced ? 'yes' : `no${reproducedDetail ? ` (${safeLine(reproducedDetail)})` : ''}`;
  return [
    `${result.id}: ${status.replaceAll('_', ' ')}${detail ? ` (${safeLine(detail)})` : ''}`,
    ...claimLines(result, look()),
    ...(reproduced === null ? [] : [`reproduced from the script: ${again}`]),
    ...(image ? [`image ${image}`] : []),
    '',
    `pointsman setup show ${id}`,
    ...(image
      ? [
          `pointsman setup show ${id} --dockerfile > Dockerfile`,
          `pointsman setup show ${id} --script > install.sh`,
          `docker run --rm -it -w ${quote(result.workdir)} ${quote(image)} bash`,
        ]
      : []),
  ];
}
