import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type { Command } from 'commander';
import type { FunctionProblemsResult } from '../contract';
import { progressLine } from '../view/problems/build';
import type { Cli } from './context';
import { printBuildAnswer, waitedBuild } from './problems-answer';
import { buildProgressOf, readBuild } from './problems-reading';
import { retried } from './rollout-reading';

const POLL_MS = 1_000;

/** `problems watch`: where it is as it goes, then what came of it. A worker that is killed meanwhile is waited for. */
export function addProblemsWatch(problems: Command, cli: Cli): void {
  problems
    .command('watch <id>')
    .description('follow a build live, to its end')
    .option('--out <dir>', 'write the problems there')
    .action(async (id: string, { out }: { out?: string }) => {
      // Refuses what is no build before anything is waited for.
      await readBuild(cli, id);
      const handle = (await cli.client()).workflow.getHandle(id);
      await printBuildAnswer(cli, await followBuild(cli, handle), out);
    });
}

/** Says on standard error where it is, once per change, until it ends. Throws what the workflow failed with. */
export async function followBuild(cli: Cli, handle: WorkflowHandle): Promise<FunctionProblemsResult> {
  const client = await cli.client();
  const ending = waitedBuild(cli, handle).then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  let ended = false;
  void ending.then(() => (ended = true));
  for (let said = ''; !ended; await Promise.race([ending, sleep(POLL_MS)])) {
    const progress = await buildProgressOf(client, handle);
    const trouble = retried(await handle.describe());
    const line = progress ? [progressLine(progress), trouble].filter(Boolean).join(' · ') : 'no worker answers';
    if (line !== said) cli.say(`· ${line}`);
    said = line;
  }
  const end = await ending;
  if ('error' in end) throw end.error;
  return end.result;
}
