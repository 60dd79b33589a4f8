import type { Command } from 'commander';
import type { Cli } from './context';
import { addFunctionsGraph } from './functions-graph';
import { addFunctionsList } from './functions-list';
import { addFunctionsSlice } from './functions-slice';

export function addFunctionsCommands(program: Command, cli: Cli): void {
  const functions = program
    .command('functions')
    .description('what the Python source of a folder says: functions, slices, calls');
  addFunctionsList(functions, cli);
  addFunctionsSlice(functions, cli);
  addFunctionsGraph(functions, cli);
}
