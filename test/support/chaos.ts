import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import Docker from 'dockerode';
import type { RolloutProgress, RolloutResult } from '../../src/contract';
import { hashKey, uniformUnit } from '../../src/rollout/random';
import { runName } from '../../src/sandbox/labels';
import type { World } from './world';

/** Numbers in [0, 1), the same in every run of the test. */
export function dice(seed: string): () => number {
  const stream = hashKey(seed);
  return () => uniformUnit(stream);
}

/** The run's turn, or undefined while nobody answers. */
async function turnOf(handle: WorkflowHandle): Promise<number | undefined> {
  const asked = handle.query<RolloutProgress>('progress').catch(() => undefined);
  return (await Promise.race([asked, sleep(3_000, undefined)]))?.turn;
}

/** Waits until the run is past `turn` or has ended; gives the turn it is at. */
export async function pastTurn(handle: WorkflowHandle, turn: number, seconds = 90): Promise<number> {
  for (const until = Date.now() + seconds * 1000; Date.now() < until; await sleep(40)) {
    const at = await turnOf(handle);
    if (at !== undefined && at > turn) return at;
    if (await ended(handle)) return Number.POSITIVE_INFINITY;
  }
  const { raw } = await handle.describe();
  const pending = raw.pendingActivities?.map(({ activityType, attempt, state, lastFailure }) => [
    activityType?.name,
    attempt,
    state,
    lastFailure?.message,
  ]);
  throw new Error(`${handle.workflowId} is not past turn ${turn} after ${seconds} s: ${JSON.stringify(pending)}`);
}

export async function ended(handle: WorkflowHandle): Promise<boolean> {
  return (await handle.describe()).status.name !== 'RUNNING';
}

export async function resultOf(handle: WorkflowHandle): Promise<RolloutResult> {
  return (await handle.result()) as RolloutResult;
}

/** The keys of all ledger entries of a run, as `turn/attempt`. */
export function ledgerOf(world: World, run: string): string[] {
  const root = join(world.home, 'ledger');
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map(
      (name) =>
        (JSON.parse(readFileSync(join(root, name), 'utf8')) as { key: { run: string; turn: number; attempt: number } })
          .key,
    )
    .filter((key) => key.run === run)
    .map((key) => `${key.turn}/${key.attempt}`);
}

/** Name of the container that works for a run. */
export async function containerOf(handle: WorkflowHandle): Promise<string> {
  const { raw, runId } = await handle.describe();
  const firstRunId = raw.workflowExecutionInfo?.firstRunId || runId;
  return runName({ workflowId: handle.workflowId, firstRunId }, 'main');
}

export interface Leftovers {
  readonly containers: string[];
  readonly images: string[];
  readonly networks: string[];
  readonly volumes: string[];
}

/** What carries the label on this engine: a namespace's or a run's things. */
export async function labelled(label: string, docker = new Docker()): Promise<Leftovers> {
  const filters = { label: [label] };
  const [containers, images, networks, { Volumes }] = await Promise.all([
    docker.listContainers({ all: true, filters }),
    docker.listImages({ filters }),
    docker.listNetworks({ filters }),
    docker.listVolumes({ filters }),
  ]);
  return {
    containers: containers.map(({ Names, Id }) => Names[0] ?? Id),
    images: images.map(({ RepoTags, Id }) => RepoTags?.find((tag) => tag !== '<none>:<none>') ?? Id),
    networks: networks.map(({ Name }) => Name),
    volumes: (Volumes ?? []).map(({ Name }) => Name),
  };
}

export const NOTHING: Leftovers = { containers: [], images: [], networks: [], volumes: [] };
