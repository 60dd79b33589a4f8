import { resolve } from 'node:path';
import type { Command } from 'commander';
import { indexRepository, openPython } from '../problems/python';
import { describeSlice, findFunction, sliceSyntax } from '../problems/slices';
import { sliceText } from '../view/functions/slice';
import type { Cli } from './context';
import { readPythonFiles } from './python-files';
import { look } from './terminal';

/** `functions slice`: all that a function needs, read from the source alone. */
export function addFunctionsSlice(functions: Command, cli: Cli): void {
  functions
    .command('slice <dir> <qualname>')
    .description('print all that a function of a folder needs: functions it calls, globals it reads, transitively')
    .action(async (dir: string, qualname: string) => {
      const index = indexRepository(await openPython(), readPythonFiles(resolve(dir)));
      const slice = describeSlice(sliceSyntax(index, findFunction(index, qualname)));
      const linesOf = (file: string) => index.byPath.get(file)?.syntax.text.split(/\r\n?|\n/) ?? [];
      cli.print(slice, () => sliceText(slice, linesOf, look()));
    });
}
