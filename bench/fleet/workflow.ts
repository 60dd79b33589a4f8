import { proxyActivities } from '@temporalio/workflow';
import type { HostActivities } from './hosts';

export interface SimulatedRollout {
  readonly pool: string;
  readonly turns: number;
  /** Milliseconds that a model thinks, and that a command takes. */
  readonly modelMs: number;
  readonly commandMs: number;
}

/** A rollout's traffic and nothing else: a claim on any host with room, then a model and a command of that host a turn. */
export async function simulatedRollout({ pool, turns, modelMs, commandMs }: SimulatedRollout): Promise<void> {
  const timeouts = { startToCloseTimeout: '1 hour', heartbeatTimeout: '20 seconds' } as const;
  const { claim } = proxyActivities<HostActivities>({ taskQueue: pool, ...timeouts });
  const { model } = proxyActivities<HostActivities>(timeouts);
  const host = await claim();
  const { command } = proxyActivities<HostActivities>({ taskQueue: host, ...timeouts });
  for (let turn = 0; turn < turns; turn++) {
    await model(modelMs);
    await command(commandMs);
  }
}
