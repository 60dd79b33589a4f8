import {
  type FunctionProblemsProgress,
  type FunctionProblemsResult,
  jsonLines,
  RejectedFunction,
} from '../../contract';
import { instancesIn } from '../../store/instances';
import type { Cli } from '../context';
import { attributesOf, findWorkflow, statusOf } from '../lookup';
import type { ShownBuild } from '../terminal/function-problems/shown-build';

/** A build by workflow id, with its problems where it has ended. Throws `InvalidInput` for another workflow. */
export async function readBuild(cli: Cli, id: string): Promise<ShownBuild> {
  const { described, progress, result, trouble, ui } = await findWorkflow<
    FunctionProblemsProgress,
    FunctionProblemsResult
  >(cli, id, 'functionProblems');
  // A store elsewhere is no reason to hide what the server knows.
  const kept = result ? await keptOf(cli, result).catch((error: Error) => error) : undefined;
  const missing = kept instanceof Error ? kept.message : undefined;
  return {
    id,
    status: statusOf(described),
    from: result?.environment.source ?? result?.environment.image ?? attributesOf(described).InstanceId ?? id,
    startedAt: described.startTime,
    endedAt: described.closeTime,
    progress,
    result,
    instances: kept && !(kept instanceof Error) ? kept.instances : [],
    rejected: kept && !(kept instanceof Error) ? kept.rejected : [],
    trouble: [trouble, missing].filter(Boolean).join('; ') || undefined,
    links: [
      ...(ui ? [['UI', ui] as const] : []),
      ...(result ? [['problems', cli.blobs.addressOf(result.instances.sha256)] as const] : []),
      ...(result ? [['report', cli.blobs.addressOf(result.report.sha256)] as const] : []),
    ],
  };
}

async function keptOf(cli: Cli, { instances, rejected }: FunctionProblemsResult) {
  const text = async (sha256: string) => (await cli.blobs.get(sha256)).toString('utf8');
  return {
    instances: instancesIn(await text(instances.sha256), 'problems'),
    rejected: jsonLines(RejectedFunction, await text(rejected.sha256), 'rejected'),
  };
}
