import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openPython } from '@pointsman/python';
import type { FunctionProblemsResult, Ref } from '../../contract';
import { pytestBundle } from '../../environments/harness/pytest-bundle';
import { count, dollars, grouped } from '../../pages/figures';
import { rolloutProblem } from '../../problems/tables/rollout-problem';
import { quote } from '../../rollout/shell';
import { instancesIn } from '../../store/instances';
import { type Cli, look } from '../context';
import { readable, writeProblem } from '../problem/folder';
import { funnelTable } from '../terminal/functions/funnel';

/** Files of a build, as absolute paths. */
export interface WrittenBuild {
  readonly problems: string;
  readonly rejected: string;
  /** Null for a build of an earlier version. */
  readonly tries: string | null;
  readonly swebench: string;
  readonly report: string;
  /** A folder a problem, each for `rollout start --problem`. */
  readonly rollouts: readonly string[];
}

/** Writes a build, in place of an earlier one of the same folder. A file is whole or not there. */
export async function writeBuild(cli: Cli, result: FunctionProblemsResult, out: string): Promise<WrittenBuild> {
  const folder = resolve(out);
  mkdirSync(folder, { recursive: true });
  const text = async ({ sha256 }: Ref) => (await cli.blobs.get(sha256)).toString('utf8');
  const write = (name: string, body: string): string => {
    const file = join(folder, name);
    writeFileSync(`${file}.new`, body);
    renameSync(`${file}.new`, file);
    return file;
  };
  const problems = await text(result.instances);
  const files = {
    problems: write('problems.jsonl', problems),
    rejected: write('rejected.jsonl', await text(result.rejected)),
    tries: result.tries ? write('tried.jsonl', await text(result.tries)) : null,
    swebench: write('swebench.jsonl', await text(result.rows)),
    report: write('report.md', await text(result.report)),
  };
  const rollouts = join(folder, 'rollout');
  removeProblems(rollouts);
  const python = await openPython();
  const made = instancesIn(problems, files.problems).map((instance) => {
    const problem = rolloutProblem(python, instance, { moduleText: instance.moduleText, bundle: pytestBundle() });
    return writeProblem(join(rollouts, readable(instance.id)), problem);
  });
  return { ...files, rollouts: made };
}

/** Of an earlier build: what was a problem then may be none now. Folders that hold no problem are somebody else's. */
function removeProblems(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (existsSync(join(folder, name, 'problem.json'))) rmSync(join(folder, name), { recursive: true });
  }
}

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
  if (admitted === 0) return [`pointsman function-problems show ${quote(id)}`];
  if (!written)
    return [
      `pointsman function-problems show ${quote(id)}`,
      `pointsman function-problems export ${quote(id)} --out ${quote(id.replace(/^.*\//, ''))}`,
    ];
  const { problems, rollouts } = written;
  return [
    `pointsman function-problems list ${quote(problems)}`,
    `pointsman function-problems check ${quote(problems)}`,
    `pointsman evaluation start --problems ${quote(problems)} --solver NAME --watch`,
    ...(rollouts[0] ? [`pointsman rollout start --problem ${quote(rollouts[0])} --student NAME --wait`] : []),
  ];
}
