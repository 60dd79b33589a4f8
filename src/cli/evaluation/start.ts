import { randomBytes } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ContextKind, type EvaluationProgress, type EvaluationResult } from '../../contract';
import type { Cli } from '../context';
import { followed, resultIfAwaited, watchCommand } from '../follow';
import { readInput } from '../input-file';
import {
  addInputOption,
  addOutOption,
  addStartOptions,
  assertOutWaits,
  dollarsOption,
  type OutFlags,
  warnOfProfiles,
  wholeOption,
} from '../options';
import { progressLine } from '../terminal/evaluation/report';
import { printEvaluationAnswer } from './folder';
import { type EvaluationFlags, evaluationInput } from './input';
import { readEvaluation } from './reading';

type Flags = EvaluationFlags & OutFlags;

/** Exit code of `--wait` for an evaluation that ended before all candidates were done. */
const NOT_COMPLETE = 3;

/** `evaluation start`: samples of a solver on problems, and self-repair of what none solved. */
export function addEvaluationStart(evaluation: Command, cli: Cli): void {
  const command = evaluation.command('start').description('let a solver answer function problems, and run its answers');
  addInputOption(command)
    .option('--problems <file>', 'problems.jsonl, or the id of a finished build')
    .option('--solver <name>', 'profile, builtin:oracle, builtin:stub or builtin:mutant')
    .option('--only <id...>', 'only these problems')
    .option('--samples <n>', 'answers to each problem (default: 5)', wholeOption)
    .option('--k <n...>', 'k of each PASS@k (default: 1)', wholeNumbers)
    .addOption(new Option('--context <kind>', 'what a solver is shown').choices(ContextKind.options))
    .option('--plan-first', 'ask for a plan before the code')
    .option('--repairs <n>', 'iterations of self-repair', wholeOption)
    .option('--concurrency <n>', 'candidates at once (default: 4)', wholeOption)
    .option('--temperature <t>', 'default: 0.2', numberOption)
    .option('--top-p <p>', 'default: 0.95', numberOption)
    .option('--seed <n>', 'seed of samples, mutants and intervals', wholeOption)
    .option('--cost <usd>', 'cost limit in USD', dollarsOption);
  addOutOption(addStartOptions(command), 'report, candidates and plots')
    .addHelpText('after', '\nExit code of --wait and --watch: 0 complete, 3 ended before that, 1 an error.')
    .action(async ({ input: file, id, wait, watch, out, ...flags }: Flags) => {
      assertOutWaits({ wait, watch, out }, 'evaluation');
      const input = await evaluationInput(cli, file ? readInput(file) : {}, flags);
      warnOfProfiles(cli, [input.solver]);
      const solver = String(input.solver);
      const handle = await cli.start('evaluation', input, {
        id: id ?? `evaluation/${solver.replace(':', '-')}-${randomBytes(4).toString('hex')}`,
        note: `evaluation of ${solver}`,
      });
      const result = await resultIfAwaited(cli, handle, {
        wait,
        watch,
        follow: watchCommand('evaluation', handle),
        watched: () => followEvaluation(cli, handle),
      });
      if (!result) return;
      await printEvaluationAnswer(cli, result, out);
      if (result.status !== 'complete') process.exitCode = NOT_COMPLETE;
    });
}

/** Each with a comma or a blank behind it. */
function wholeNumbers(text: string, before: readonly number[] = []): number[] {
  return [...before, ...text.split(',').map((part) => wholeOption(part.trim()))];
}

function numberOption(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('expected a number, like 0.2.');
  return value;
}

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
function followEvaluation(cli: Cli, handle: WorkflowHandle): Promise<EvaluationResult> {
  return followed<EvaluationProgress, EvaluationResult>(cli, handle, {
    follow: watchCommand('evaluation', handle),
    line: (progress) => progressLine({ progress }),
  });
}
