import type { Command } from 'commander';
import { hashKey, uniformUnit } from '../agent/random';
import { differencesOf } from '../analysis/evaluation/comparison';
import { scoresOf } from '../analysis/evaluation/scores';
import { PointsmanError } from '../contract';
import { comparisonText } from '../view/evaluation/comparison';
import type { Cli } from './context';
import { readEvaluation } from './evaluation-reading';
import { wholeOption } from './options';
import { look } from './terminal';

/** `evaluation compare`: the first one against each of the others, problem by problem. */
export function addEvaluationCompare(evaluation: Command, cli: Cli): void {
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
