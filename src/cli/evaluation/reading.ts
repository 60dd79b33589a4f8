import {
  CandidateOutcome,
  type EvaluationProgress,
  type EvaluationResult,
  jsonLines,
  ProblemSet,
} from '../../contract';
import type { Cli } from '../context';
import { attributesOf, findWorkflow, statusOf } from '../lookup';
import type { ShownEvaluation } from '../terminal/evaluation/shown-evaluation';

/** An evaluation by workflow id, with its candidates where it has ended. Throws `InvalidInput` for another workflow. */
export async function readEvaluation(cli: Cli, id: string): Promise<ShownEvaluation> {
  const { described, progress, result, trouble, ui } = await findWorkflow<EvaluationProgress, EvaluationResult>(
    cli,
    id,
    'evaluation',
  );
  // A store elsewhere is no reason to hide what the server knows.
  const kept = result ? await candidatesOf(cli, result).catch((error: Error) => error) : undefined;
  const attributes = attributesOf(described);
  return {
    id,
    status: statusOf(described),
    solver: result?.solver ?? attributes.Student ?? 'an evaluation that has not begun',
    problemsOf: attributes.InstanceId,
    startedAt: described.startTime,
    endedAt: described.closeTime,
    progress,
    result,
    problems: kept && !(kept instanceof Error) ? kept.problems : [],
    outcomes: kept && !(kept instanceof Error) ? kept.outcomes : [],
    trouble: [trouble, kept instanceof Error ? kept.message : undefined].filter(Boolean).join('; ') || undefined,
    links: [
      ...(ui ? [['UI', ui] as const] : []),
      ...(result ? [['candidates', cli.blobs.addressOf(result.candidates.sha256)] as const] : []),
      ...(result ? [['report', cli.blobs.addressOf(result.report.sha256)] as const] : []),
    ],
  };
}

/** Problems and outcomes of an evaluation that has ended, from the store. */
async function candidatesOf(
  cli: Cli,
  { problemSet, candidates }: EvaluationResult,
): Promise<{ problems: ProblemSet; outcomes: CandidateOutcome[] }> {
  const text = async (sha256: string) => (await cli.blobs.get(sha256)).toString('utf8');
  return {
    problems: ProblemSet.parse(JSON.parse(await text(problemSet.sha256))),
    outcomes: jsonLines(CandidateOutcome, await text(candidates.sha256), 'candidates'),
  };
}
