import type { Command } from 'commander';
import { bodyLines, considerFunctions, resolveFilters } from '../problems/extraction';
import { indexRepository, openPython } from '../problems/python';
import { sliceOf, targetOf } from '../problems/slices';
import { functionsListText, type ListedFunction } from '../view/functions/list';
import type { Cli } from './context';
import { readFilterTable } from './filter-table';
import { readPythonFiles } from './python-files';
import { look } from './terminal';

interface Flags {
  readonly filters?: string;
  readonly rejected?: boolean;
}

/** `functions list`: what a build would try, and what it would leave out and why. Reads the folder, runs nothing of it. */
export function addFunctionsList(functions: Command, cli: Cli): void {
  functions
    .command('list <dir>')
    .description('list the functions of a repository that pass the filters')
    .option('--filters <file>', 'table of filters (YAML or JSON), like examples/function-filters.yaml')
    .option('--rejected', 'list those that were left out too, with the reason')
    .action((dir: string, flags: Flags) => list(cli, dir, flags));
}

async function list(cli: Cli, dir: string, flags: Flags): Promise<void> {
  const filters = resolveFilters(flags.filters === undefined ? {} : readFilterTable(flags.filters));
  const index = indexRepository(await openPython(), await readPythonFiles(dir));
  const { taken, considered, funnel } = considerFunctions(index, filters);
  const functions = taken.map((found): ListedFunction => {
    const target = targetOf(found);
    // The target's own definition is an item of its slice.
    const { items } = sliceOf(index, target.module, target.name);
    return {
      target,
      lines: bodyLines(found),
      dependencies: Math.max(0, items.length - 1),
      outOfFile: items.some(({ outOfFile }) => outOfFile),
    };
  });
  const rejected = flags.rejected ? considered.filter(({ rejectedBy }) => rejectedBy !== null) : undefined;
  const answer = { functions, funnel, ...(rejected ? { rejected } : {}) };
  cli.print({ ...answer, filters }, () => functionsListText(answer, look().width));
}
