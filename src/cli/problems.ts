import type { Command } from 'commander';
import type { Cli } from './context';
import { addProblemsBuild } from './problems-build';
import { addProblemsCheck } from './problems-check';
import { addProblemsExport } from './problems-export';
import { addProblemsList } from './problems-list';
import { addProblemsShow } from './problems-show';
import { addProblemsTable } from './problems-table';
import { addProblemsWatch } from './problems-watch';
import { addWindowSteering } from './window-steer';

export function addProblemsCommands(program: Command, cli: Cli): void {
  const problems = program.command('problems').description('function problems of a repository: build, read, prove');
  addProblemsBuild(problems, cli);
  addProblemsList(problems, cli);
  addProblemsShow(problems, cli);
  addProblemsTable(problems, cli);
  addProblemsWatch(problems, cli);
  addProblemsExport(problems, cli);
  addProblemsCheck(problems, cli);
  addWindowSteering(problems, cli, {
    units: 'functions',
    kept: 'problems',
    cancelled: 'nothing is kept',
    show: 'pointsman problems show ID',
  });
}
