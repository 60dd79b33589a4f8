import type { WorkflowHandle } from '@temporalio/client';
import type { Command } from 'commander';
import type { FunctionProblemsProgress, FunctionProblemsResult } from '../contract';
import { progressLine } from '../view/problems/build';
import type { Cli } from './context';
import { followed, watchCommand } from './follow';
import { printBuildAnswer } from './problems-answer';
import { readBuild } from './problems-reading';

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
export function followBuild(cli: Cli, handle: WorkflowHandle): Promise<FunctionProblemsResult> {
  return followed<FunctionProblemsProgress, FunctionProblemsResult>(cli, handle, {
    follow: watchCommand('problems', handle),
    line: progressLine,
  });
}
