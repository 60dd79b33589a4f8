import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { type CandidateOutcome, NO_SAMPLE, PointsmanError } from '../../contract';
import { type Cli, look } from '../context';
import { type EvaluationFlags, evaluationInput } from '../evaluation/input';
import { readEvaluation } from '../evaluation/reading';
import { watchCommand } from '../follow';
import { wholeOption } from '../options';
import type { ShownEvaluation } from '../terminal/evaluation/shown-evaluation';
import { type Proof, proofText } from '../terminal/function-problems/proof';
import { waited } from '../wait';
import { instanceNamed, instancesFile, readInstances } from './instances';

interface Flags {
  readonly only?: readonly string[];
  readonly concurrency?: number;
}

/** Exit code where a problem is not proved. */
const NOT_PROVED = 3;
const SOLVERS = ['oracle', 'stub'] as const;

/** `function-problems check`: oracle = 1 and stub = 0 of each problem, by the same path that judges a model's answers. */
export function addFunctionProblemsCheck(problems: Command, cli: Cli): void {
  problems
    .command('check <from>')
    .description('prove problems again: the reference must pass, and a body that raises must fail')
    .option('--only <id...>', 'only these problems')
    .option('--concurrency <n>', 'candidates at once', wholeOption)
    .addHelpText('after', '\nExit code: 0 all are proved, 3 one is not, 1 an error.')
    .action(async (from: string, flags: Flags) => {
      const proofs = await provedAgain(cli, from, flags);
      const proved = proofs.every((each) => each.proved);
      cli.print({ proved, problems: proofs }, () => proofText(proofs, look()));
      if (!proved) process.exitCode = NOT_PROVED;
    });
}

/** Has the reference and a stub judged on each problem of a file, a folder or a build, sorted by id. */
export async function provedAgain(cli: Cli, from: string, { only, concurrency }: Flags = {}): Promise<Proof[]> {
  const ids = only && (await idsOf(cli, from, only));
  const shared: EvaluationFlags = { problems: instancesFile(from) ?? from, only: ids, concurrency, samples: 1 };
  const name = `problems-check/${randomBytes(4).toString('hex')}`;
  const handles = await Promise.all(
    SOLVERS.map(async (solver) => {
      const input = await evaluationInput(cli, {}, { ...shared, solver: `builtin:${solver}` });
      return cli.start('evaluation', input, { id: `${name}/${solver}`, note: `${solver} on ${from}` });
    }),
  );
  // One after the other: each listens for Ctrl-C while it waits.
  for (const handle of handles) await waited(cli, handle, { follow: watchCommand('evaluation', handle) });
  const [oracle, stub] = await Promise.all(handles.map(({ workflowId }) => readEvaluation(cli, workflowId)));
  return proofsOf(oracle!, stub!);
}

/** Functions may be named as `list` prints them. */
async function idsOf(cli: Cli, from: string, names: readonly string[]): Promise<string[]> {
  const known = await readInstances(cli, from);
  return names.map((name) => instanceNamed(known, name).id);
}

function proofsOf(oracle: ShownEvaluation, stub: ShownEvaluation): Proof[] {
  if (oracle.problems.length === 0)
    throw new PointsmanError('Unavailable', oracle.trouble ?? `${oracle.id} says nothing about its problems`);
  const of = ({ outcomes }: ShownEvaluation, id: string) => outcomes.find(({ problem }) => problem === id) ?? null;
  return oracle.problems.map(({ id }) => {
    const [right, wrong] = [of(oracle, id), of(stub, id)];
    return { id, oracle: right, stub: wrong, proved: right?.passed === true && failed(wrong) };
  });
}

/** It was run, and it was not right. An outage proves nothing. */
function failed(outcome: CandidateOutcome | null): boolean {
  return outcome !== null && !outcome.passed && !NO_SAMPLE.includes(outcome.verdict);
}
