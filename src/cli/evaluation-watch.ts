import type { WorkflowHandle } from '@temporalio/client';
import type { Command } from 'commander';
import type { EvaluationProgress, EvaluationResult } from '../contract';
import { progressLine } from '../view/evaluation/report';
import type { Cli } from './context';
import { printEvaluationAnswer } from './evaluation-answer';
import { readEvaluation } from './evaluation-reading';
import { followed, watchCommand } from './follow';

/** `evaluation watch`: where it is as it goes, then the figures. A worker that is killed meanwhile is waited for. */
export function addEvaluationWatch(evaluation: Command, cli: Cli): void {
  evaluation
    .command('watch <id>')
    .description('follow an evaluation live, to its end')
    .option('--out <dir>', 'write report, candidates and plots there')
    .action(async (id: string, { out }: { out?: string }) => {
      // Refuses what is no evaluation before anything is waited for.
      await readEvaluation(cli, id);
      const handle = (await cli.client()).workflow.getHandle(id);
      await printEvaluationAnswer(cli, await followEvaluation(cli, handle), out);
    });
}

/** Says on standard error where it is, once per change, until it ends. Throws what the workflow failed with. */
export function followEvaluation(cli: Cli, handle: WorkflowHandle): Promise<EvaluationResult> {
  return followed<EvaluationProgress, EvaluationResult>(cli, handle, {
    follow: watchCommand('evaluation', handle),
    line: (progress) => progressLine({ progress }),
  });
}
