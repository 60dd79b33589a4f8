import { resolve } from 'node:path';
import type { Command } from 'commander';
import { PointsmanError } from '../../contract';
import { count } from '../../pages/figures';
import { taskName } from '../../problems/harbor/task';
import type { Cli } from '../context';
import { type TaskFlags, type WrittenTask, withTaskFlags, writeTask } from './task-folder';

/** `problem export`: problems in the layout that other systems read, with our judge as their verifier. */
export function addProblemExport(problem: Command, cli: Cli): void {
  withTaskFlags(
    problem
      .command('export <problem...>')
      .description('write problems as tasks of Harbor, with our judge and its wrong expectations as their verifier'),
  ).action((sources: string[], flags: TaskFlags) =>
    exportProblems(cli, sources, { ...flags, out: resolve(flags.out) }),
  );
}

async function exportProblems(cli: Cli, sources: readonly string[], flags: TaskFlags): Promise<void> {
  const problems = sources.map((source) => cli.problems.resolve(source));
  const names = new Map<string, string>();
  for (const { id } of problems) {
    const before = names.get(taskName(id));
    if (before !== undefined) {
      const why = `${id} and ${before} would be one task, ${taskName(id)}`;
      throw new PointsmanError('InvalidInput', why, 'Export them into two folders.');
    }
    names.set(taskName(id), id);
  }
  const tasks: (WrittenTask & { id: string })[] = [];
  for (const problem of problems) {
    const { id } = problem;
    cli.say(`▸ ${id}`);
    tasks.push({ id, ...(await writeTask(cli, problem, taskName(id), flags)) });
  }
  cli.print({ out: flags.out, tasks }, () =>
    [
      `${count(tasks.length, 'task')} in ${flags.out}`,
      ...tasks.map(({ id, controls, of }) => `  ${id}: ${controls} of ${of} tests with a control`),
      `run one: harbor run -p ${tasks[0]?.folder} -a oracle`,
    ].join('\n'),
  );
}
