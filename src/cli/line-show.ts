import type { Command } from 'commander';
import type { LineProgress, LineResult } from '../contract';
import { lineProgressLine, lineProgressText, lineText } from '../view/line/line';
import type { Cli } from './context';
import { followed, watchCommand } from './follow';
import { findWorkflow, statusOf } from './found-workflow';
import { printLine } from './line-start';
import { look } from './terminal';

/** `line show` and `line watch`. */
export function addLineShow(line: Command, cli: Cli): void {
  line
    .command('show <id>')
    .description('print where a line is, or what came of it')
    .action(async (id: string) => {
      const found = await findWorkflow<LineProgress, LineResult>(cli, id, 'line');
      const { progress = null, result = null, trouble = null, ui = null, described } = found;
      const status = statusOf(described);
      cli.print({ id, status, progress, result, trouble, ui }, () =>
        [
          ...(result
            ? [lineText(result, look())]
            : progress
              ? [lineProgressText(id, progress, look())]
              : [`${id}: ${status}`]),
          ...(trouble ? ['', trouble] : []),
          ...(ui ? ['', `in the UI  ${ui}`] : []),
        ].join('\n'),
      );
    });
  line
    .command('watch <id>')
    .description('follow a line live, to its end')
    .action(async (id: string) => {
      const { handle } = await findWorkflow(cli, id, 'line');
      const follow = watchCommand('line', handle);
      printLine(cli, await followed<LineProgress, LineResult>(cli, handle, { follow, line: lineProgressLine }));
    });
}
