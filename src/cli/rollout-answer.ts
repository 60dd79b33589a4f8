import type { WorkflowHandle } from '@temporalio/client';
import type { RolloutResult } from '../contract';
import { verdict } from '../view/verdict';
import { type Cli, fromWorkflow } from './context';
import { look } from './terminal';

/** What `--wait --json` prints: the result with the patch as text. */
export type RolloutAnswer = Omit<RolloutResult, 'patch'> & { readonly patch: string | null };

export async function answerOf(cli: Cli, result: RolloutResult): Promise<RolloutAnswer> {
  const { patch, ...rest } = result;
  return { ...rest, patch: patch ? (await cli.blobs.get(patch.sha256)).toString('utf8') : null };
}

/** Waits for the end. Ctrl-C stops the waiting, never the rollout. Throws what the workflow failed with. */
export async function waited(cli: Cli, handle: WorkflowHandle): Promise<RolloutResult> {
  const leave = () => {
    cli.say(`${handle.workflowId} goes on; \`switchyard rollout watch ${handle.workflowId}\` follows it`);
    process.exit(130);
  };
  process.once('SIGINT', leave);
  try {
    return (await handle.result()) as RolloutResult;
  } catch (error) {
    throw fromWorkflow(error);
  } finally {
    process.off('SIGINT', leave);
  }
}

export async function printAnswer(cli: Cli, result: RolloutResult): Promise<void> {
  const answer = await answerOf(cli, result);
  cli.print(answer, () =>
    [`${result.id}: ${verdict(result, look())}`, `\`switchyard rollout show ${result.id}\` prints the trajectory`].join(
      '\n',
    ),
  );
}
