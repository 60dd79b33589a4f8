import { readFile } from 'node:fs/promises';
import { Context } from '@temporalio/activity';
import { type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { RolloutInput, type RolloutResult, type RolloutRow, type RolloutSource, SwitchyardError } from '../contract';
import { rowsOf } from '../store/campaigns';
import type { Deps } from './deps';

/** The rollouts that sources name, each once, in the order of the sources. Reads only. */
export async function rowsOfSources(
  deps: Pick<Deps, 'blobs' | 'campaigns'>,
  sources: readonly RolloutSource[],
): Promise<RolloutRow[]> {
  const rows = new Map<string, RolloutRow>();
  for (const source of sources) for (const row of await rowsOfSource(deps, source)) rows.set(row.id, row);
  return [...rows.values()];
}

async function rowsOfSource(
  { blobs, campaigns }: Pick<Deps, 'blobs' | 'campaigns'>,
  source: RolloutSource,
): Promise<RolloutRow[]> {
  if ('campaign' in source) return campaigns.rows(source.campaign);
  if ('runs' in source) return Promise.all(source.runs.map((id) => rowOfRun(id, source.method)));
  const { rollouts } = source;
  if (typeof rollouts !== 'string') {
    const name = `blob ${rollouts.sha256.slice(0, 12)}`;
    return rowsOf((await blobs.get(rollouts.sha256)).toString('utf8'), name);
  }
  const text = await readFile(rollouts, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new SwitchyardError(
      'InvalidInput',
      `rollouts: ${rollouts} cannot be read: ${error.message}`,
      'Give a path that the host of the worker can read.',
    );
  });
  return rowsOf(text, rollouts);
}

/** A rollout that was started alone. Throws `InvalidInput` for one that has no result. */
async function rowOfRun(id: string, method: string): Promise<RolloutRow> {
  const handle = Context.current().client.workflow.getHandle(id);
  const described = await handle.describe().catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new SwitchyardError('InvalidInput', `runs: there is no run "${id}"`, '`switchyard rollout list` shows them.');
  });
  if (described.type !== 'rollout' || described.status.name !== 'COMPLETED') {
    throw new SwitchyardError(
      'InvalidInput',
      `runs: ${id} is a ${described.type} that is ${described.status.name.toLowerCase()}, not a finished rollout`,
      'Name rollouts that have ended.',
    );
  }
  const result = (await handle.result()) as RolloutResult;
  const input = RolloutInput.parse(await firstInput(handle));
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

/** What its last run was given. */
async function firstInput(handle: WorkflowHandle): Promise<unknown> {
  const { events } = await handle.fetchHistory();
  const payload = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
  return payload ? defaultPayloadConverter.fromPayload(payload) : {};
}
