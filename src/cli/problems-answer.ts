import { quote } from '../agent/shell';
import type { FunctionProblemsResult } from '../contract';
import { count, dollars, grouped } from '../view/figures';
import { funnelTable } from '../view/functions/funnel';
import type { Cli } from './context';
import { type WrittenBuild, writeBuild } from './problems-folder';
import { look } from './terminal';

/** Prints a result, and with a folder writes all of it there first. */
export async function printBuildAnswer(cli: Cli, result: FunctionProblemsResult, out?: string): Promise<void> {
  const written = out === undefined ? undefined : await writeBuild(cli, result, out);
  cli.print({ ...result, ...(written ? { out: written } : {}) }, () => answerText(result, written));
}

function answerText({ id, functions, funnel, tried, admitted, cost }: FunctionProblemsResult, written?: WrittenBuild) {
  const spent = cost.tokens > 0 ? ` · ${dollars(cost.usd)}, ${grouped(cost.tokens)} tokens` : '';
  const left = funnel.some(({ rejected }) => rejected > 0);
  return [
    ...(left ? [funnelTable(funnel, look().width), ''] : []),
    `${id}: ${count(functions, 'function')}, ${tried} tried, ${admitted} admitted${spent}`,
    ...(written ? [...pathLines(written), ''] : ['']),
    ...nextCommands(id, admitted, written),
  ].join('\n');
}

function pathLines({ problems, rejected, swebench, report, rollouts }: WrittenBuild): string[] {
  return [
    `problems   ${problems}`,
    `rejected   ${rejected}`,
    `SWE-bench  ${swebench}`,
    `report     ${report}`,
    ...(rollouts[0] ? [`rollouts   ${rollouts[0].replace(/[^/]*$/, '')}`] : []),
  ];
}

/** What to do with it next, each as a line to copy. */
function nextCommands(id: string, admitted: number, written?: WrittenBuild): string[] {
  if (admitted === 0) return [`pointsman problems show ${quote(id)}`];
  if (!written)
    return [
      `pointsman problems show ${quote(id)}`,
      `pointsman problems export ${quote(id)} --out ${quote(id.replace(/^.*\//, ''))}`,
    ];
  const { problems, rollouts } = written;
  return [
    `pointsman problems list ${quote(problems)}`,
    `pointsman problems check ${quote(problems)}`,
    `pointsman evaluation start --problems ${quote(problems)} --solver NAME --watch`,
    ...(rollouts[0] ? [`pointsman rollout start --problem ${quote(rollouts[0])} --student NAME --wait`] : []),
  ];
}
