import type { WorkflowHandle } from '@temporalio/client';
import type { EvaluationResult } from '../contract';
import { figureLines, verdictLine } from '../view/evaluation/figures';
import { dollars, grouped } from '../view/figures';
import { type Cli, fromWorkflow } from './context';
import { quote } from './temporal-command';
import { look } from './terminal';

/** Waits for the end. Ctrl-C stops the waiting, never the evaluation. Throws what the workflow failed with. */
export async function waitedEvaluation(cli: Cli, handle: WorkflowHandle): Promise<EvaluationResult> {
  const leave = () => {
    cli.say(`${handle.workflowId} goes on; \`switchyard evaluation watch ${quote(handle.workflowId)}\` follows it`);
    process.exit(130);
  };
  process.once('SIGINT', leave);
  try {
    return (await handle.result()) as EvaluationResult;
  } catch (error) {
    throw fromWorkflow(error);
  } finally {
    process.off('SIGINT', leave);
  }
}

export async function printEvaluationAnswer(cli: Cli, result: EvaluationResult): Promise<void> {
  cli.print(result, () =>
    [
      `${result.id}: ${result.status.replaceAll('_', ' ')}, ${result.solved} of ${result.problems} problems solved`,
      verdictLine(result.verdicts, look()),
      `${dollars(result.cost.usd)}, ${grouped(result.cost.tokens)} tokens`,
      '',
      ...figureLines(result, look()),
      `switchyard evaluation show ${quote(result.id)}`,
    ].join('\n'),
  );
}
