import type { Command } from 'commander';
import { PointsmanError } from '../../contract';
import { differencesOf } from '../../evaluation/comparison';
import { scoresOf } from '../../evaluation/scores';
import { hashKey, uniformUnit } from '../../rollout/random';
import { type Cli, look } from '../context';
import { dollarsOption, wholeOption } from '../options';
import { addWindowSteering, sendUpdate } from '../steer';
import { comparisonText } from '../terminal/evaluation/comparison';
import { writeEvaluation, writtenLines } from './folder';
import { addEvaluationList } from './list';
import { readEvaluation } from './reading';
import { addEvaluationShow } from './show';
import { addEvaluationStart, addEvaluationWatch } from './start';

export function addEvaluationCommands(evaluation: Command, cli: Cli): void {
  addEvaluationStart(evaluation, cli);
  addEvaluationList(evaluation, cli);
  addEvaluationShow(evaluation, cli);
  addEvaluationWatch(evaluation, cli);
  addEvaluationExport(evaluation, cli);
  addEvaluationSteering(evaluation, cli);
  addEvaluationCompare(evaluation, cli);
}

/** `evaluation pause|resume|abandon|concurrency|cancel|budget`: what a person can do to one that runs. */
function addEvaluationSteering(evaluation: Command, cli: Cli): void {
  addWindowSteering(evaluation, cli, {
    units: 'candidates',
    kept: 'candidates',
    cancelled: 'finished candidates are kept and can be shown',
    show: 'pointsman evaluation show ID',
  });
  evaluation
    .command('budget <id> <usd>')
    .description('set a new cost limit, counted from the start')
    .action(async (id: string, usd: string) => {
      const costUsd = dollarsOption(usd);
      await sendUpdate(cli, id, 'setBudget', { costUsd });
      cli.print({ id, costUsd }, () => `${id}: at most $${costUsd}`);
    });
}

/** `evaluation export`: report, candidates and figures of an evaluation that has ended. */
function addEvaluationExport(evaluation: Command, cli: Cli): void {
  evaluation
    .command('export <id>')
    .description('write report, candidates, plots (SVG) and their figures (CSV) into a folder')
    .requiredOption('--out <dir>', 'folder')
    .action(async (id: string, { out }: { out: string }) => {
      const written = await writeEvaluation(cli, await readEvaluation(cli, id), out);
      cli.print({ id, files: Object.fromEntries(written) }, () => writtenLines(written).join('\n'));
    });
}

/** `evaluation compare`: the first one against each of the others, problem by problem. */
function addEvaluationCompare(evaluation: Command, cli: Cli): void {
  evaluation
    .command('compare <id> <ids...>')
    .description('differences of evaluations on the same problems, with intervals')
    .option('--k <n>', 'compare PASS@k', wholeOption, 1)
    .action(async (first: string, others: readonly string[], { k }: { k: number }) => {
      const runs = await Promise.all([first, ...others].map((id) => readEvaluation(cli, id)));
      const ended = runs.map(({ id, result, problems, outcomes, trouble }) => {
        if (result && problems.length > 0)
          return { id, result, solver: result.solver, scores: scoresOf(problems, outcomes) };
        throw new PointsmanError('InvalidInput', `${id} has no figures to compare${trouble ? `: ${trouble}` : ''}`);
      });
      const stream = hashKey(`compare ${k}`);
      const differences = differencesOf(ended, k, () => uniformUnit(stream));
      const results = ended.map(({ result }) => result);
      cli.print({ evaluations: results, differences }, () => comparisonText(results, differences, look()));
    });
}
