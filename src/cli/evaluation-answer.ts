import { quote } from '../agent/shell';
import type { EvaluationResult } from '../contract';
import { figureLines, verdictLine } from '../view/evaluation/figures';
import { dollars, grouped } from '../view/figures';
import type { Cli } from './context';
import { writeEvaluation, writtenLines } from './evaluation-folder';
import { readEvaluation } from './evaluation-reading';
import { look } from './terminal';

/** Prints a result, and with a folder writes all of it there first. */
export async function printEvaluationAnswer(cli: Cli, result: EvaluationResult, out?: string): Promise<void> {
  const written = out === undefined ? [] : await writeEvaluation(cli, await readEvaluation(cli, result.id), out);
  cli.print({ ...result, ...(out === undefined ? {} : { files: Object.fromEntries(written) }) }, () =>
    [
      `${result.id}: ${result.status.replaceAll('_', ' ')}, ${result.solved} of ${result.problems} problems solved`,
      verdictLine(result.verdicts, look()),
      `${dollars(result.cost.usd)}, ${grouped(result.cost.tokens)} tokens`,
      '',
      ...figureLines(result, look()),
      ...(written.length > 0 ? [...writtenLines(written), ''] : []),
      `pointsman evaluation show ${quote(result.id)}`,
    ].join('\n'),
  );
}
