import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { PointsmanError, RolloutInput, type RolloutResult, type RolloutRow } from '../contract';
import { inputOf } from './started';

/** A rollout that was started alone. Throws `InvalidInput` for one that has no result. */
export async function rowOfRun(client: Client, id: string, method: string): Promise<RolloutRow> {
  const handle = client.workflow.getHandle(id);
  const described = await handle.describe().catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new PointsmanError('InvalidInput', `runs: there is no run "${id}"`, '`pointsman rollout list` shows them.');
  });
  if (described.type !== 'rollout' || described.status.name !== 'COMPLETED') {
    throw new PointsmanError(
      'InvalidInput',
      `runs: ${id} is a ${described.type} that is ${described.status.name.toLowerCase()}, not a finished rollout`,
      'Name rollouts that have ended.',
    );
  }
  const result = (await handle.result()) as RolloutResult;
  const input = RolloutInput.parse(await inputOf(handle));
  const { startTime, closeTime } = described;
  return {
    id,
    instance: String(described.memo?.problem ?? ''),
    problem: null,
    method,
    handOver: input.handOver,
    pass: input.attempt,
    student: input.student ?? null,
    expert: input.expert ?? null,
    outcome: 'finished',
    result,
    ...(result.patch?.bytes === 0 ? { emptyPatch: true } : {}),
    seconds: closeTime ? (closeTime.getTime() - startTime.getTime()) / 1000 : null,
    licence: null,
  };
}
