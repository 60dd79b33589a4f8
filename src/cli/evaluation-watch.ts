import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type { Command } from 'commander';
import type { EvaluationResult } from '../contract';
import { progressLine } from '../view/evaluation/report';
import type { Cli } from './context';
import { printEvaluationAnswer, waitedEvaluation } from './evaluation-answer';
import { evaluationProgressOf, readEvaluation } from './evaluation-reading';
import { retried } from './rollout-reading';

const POLL_MS = 1_000;

/** `evaluation watch`: where it is as it goes, then the figures. A worker that is killed meanwhile is waited for. */
export function addEvaluationWatch(evaluation: Command, cli: Cli): void {
  evaluation
    .command('watch <id>')
    .description('follow an evaluation live, to its end')
    .action(async (id: string) => {
      // Refuses what is no evaluation before anything is waited for.
      await readEvaluation(cli, id);
      const handle = (await cli.client()).workflow.getHandle(id);
      await printEvaluationAnswer(cli, await followEvaluation(cli, handle));
    });
}

/** Says on standard error where it is, once per change, until it ends. Throws what the workflow failed with. */
export async function followEvaluation(cli: Cli, handle: WorkflowHandle): Promise<EvaluationResult> {
  const client = await cli.client();
  const ending = waitedEvaluation(cli, handle).then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  let ended = false;
  void ending.then(() => (ended = true));
  for (let said = ''; !ended; await Promise.race([ending, sleep(POLL_MS)])) {
    const progress = await evaluationProgressOf(client, handle);
    const trouble = retried(await handle.describe());
    const line = progress ? [progressLine({ progress }), trouble].filter(Boolean).join(' · ') : 'no worker answers';
    if (line !== said) cli.say(`· ${line}`);
    said = line;
  }
  const end = await ending;
  if ('error' in end) throw end.error;
  return end.result;
}
