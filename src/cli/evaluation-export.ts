import type { Command } from 'commander';
import type { Cli } from './context';
import { writeEvaluation, writtenLines } from './evaluation-folder';
import { readEvaluation } from './evaluation-reading';

/** `evaluation export`: report, candidates and figures of an evaluation that has ended. */
export function addEvaluationExport(evaluation: Command, cli: Cli): void {
  evaluation
    .command('export <id>')
    .description('write report, candidates, plots (SVG) and their figures (CSV) into a folder')
    .requiredOption('--out <dir>', 'folder')
    .action(async (id: string, { out }: { out: string }) => {
      const written = await writeEvaluation(cli, await readEvaluation(cli, id), out);
      cli.print({ id, files: Object.fromEntries(written) }, () => writtenLines(written).join('\n'));
    });
}
