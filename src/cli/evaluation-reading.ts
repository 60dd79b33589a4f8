import type { Client, WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import {
  CandidateOutcome,
  type EvaluationProgress,
  type EvaluationResult,
  ProblemSet,
  SwitchyardError,
} from '../contract';
import type { ShownEvaluation } from '../view/evaluation/shown-evaluation';
import { type Cli, fromWorkflow } from './context';
import { attributesOf, retried, statusOf } from './rollout-reading';
import { uiBeside } from './services-status';

/** An evaluation by workflow id, with its candidates where it has ended. Throws `InvalidInput` for another workflow. */
export async function readEvaluation(cli: Cli, id: string): Promise<ShownEvaluation> {
  const [client, local] = [await cli.client(), await cli.local()];
  const ui = local.ui ?? (await uiBeside(local.address));
  const handle = client.workflow.getHandle(id);
  const described = await handle.describe();
  if (described.type !== 'evaluation') {
    throw new SwitchyardError(
      'InvalidInput',
      `${id} is a ${described.type} workflow, not an evaluation`,
      `\`temporal workflow show --workflow-id ${id}\` shows it.`,
    );
  }
  const status = statusOf(described);
  const { result, trouble } = await endingOf(handle, described);
  // A store elsewhere is no reason to hide what the server knows.
  const kept = result ? await candidatesOf(cli, result).catch((error: Error) => error) : undefined;
  const attributes = attributesOf(described);
  return {
    id,
    status,
    solver: result?.solver ?? attributes.Student ?? 'an evaluation that has not begun',
    problemsOf: attributes.InstanceId,
    startedAt: described.startTime,
    endedAt: described.closeTime,
    progress: status === 'running' ? await evaluationProgressOf(client, handle) : undefined,
    result,
    problems: kept && !(kept instanceof Error) ? kept.problems : [],
    outcomes: kept && !(kept instanceof Error) ? kept.outcomes : [],
    trouble:
      [trouble, retried(described), kept instanceof Error ? kept.message : undefined].filter(Boolean).join('; ') ||
      undefined,
    links: [
      ...(ui ? [['UI', cli.uiLink(ui, client, id)] as const] : []),
      ...(result ? [['candidates', cli.blobs.pathOf(result.candidates.sha256)] as const] : []),
      ...(result ? [['report', cli.blobs.pathOf(result.report.sha256)] as const] : []),
    ],
  };
}

/** Problems and outcomes of an evaluation that has ended, from the store. */
async function candidatesOf(
  cli: Cli,
  { problemSet, candidates }: EvaluationResult,
): Promise<{ problems: ProblemSet; outcomes: CandidateOutcome[] }> {
  const text = async (sha256: string) => (await cli.blobs.get(sha256)).toString('utf8');
  const lines = (await text(candidates.sha256)).split('\n').filter((line) => line !== '');
  return {
    problems: ProblemSet.parse(JSON.parse(await text(problemSet.sha256))),
    outcomes: lines.map((line) => CandidateOutcome.parse(JSON.parse(line))),
  };
}

/** The result of a completed evaluation, the memo's of a cancelled one; why a failed one failed. */
async function endingOf(
  handle: WorkflowHandle,
  described: WorkflowExecutionDescription,
): Promise<{ result?: EvaluationResult; trouble?: string }> {
  const status = statusOf(described);
  if (status === 'running') return {};
  if (status === 'cancelled') return { result: described.memo?.result as EvaluationResult | undefined };
  try {
    return { result: (await handle.result()) as EvaluationResult };
  } catch (error) {
    const cause = fromWorkflow(error);
    return { trouble: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** Undefined when no worker answers. */
export async function evaluationProgressOf(
  client: Client,
  handle: WorkflowHandle,
): Promise<EvaluationProgress | undefined> {
  const asked = () => handle.query<EvaluationProgress>('progress');
  return client.withDeadline(Date.now() + 5_000, asked).catch(() => undefined);
}
