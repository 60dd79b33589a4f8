import type { Command } from 'commander';
import type { Cli } from './context';
import { addEvaluationCompare } from './evaluation-compare';
import { addEvaluationExport } from './evaluation-export';
import { addEvaluationList } from './evaluation-list';
import { addEvaluationShow } from './evaluation-show';
import { addEvaluationStart } from './evaluation-start';
import { addEvaluationSteering } from './evaluation-steer';
import { addEvaluationWatch } from './evaluation-watch';

export function addEvaluationCommands(program: Command, cli: Cli): void {
  const evaluation = program
    .command('evaluation')
    .description('PASS@k and self-repair of solvers on function problems');
  addEvaluationStart(evaluation, cli);
  addEvaluationList(evaluation, cli);
  addEvaluationShow(evaluation, cli);
  addEvaluationWatch(evaluation, cli);
  addEvaluationExport(evaluation, cli);
  addEvaluationSteering(evaluation, cli);
  addEvaluationCompare(evaluation, cli);
}
