import { Context } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { Deps } from '../deps';
import { withHeartbeat } from './heartbeat';

export interface Sweep {
  readonly kept: number;
  readonly removedRuns: string[];
  readonly containers: number;
  readonly networks: number;
  readonly images: number;
  readonly volumes: number;
}

export function createJanitorActivities(deps: Deps) {
  const { sandboxes } = deps;

  /** The server itself is asked, not visibility, which lags. A run that it no longer knows is over. */
  async function isAlive(workflowId: string, firstRunId: string): Promise<boolean> {
    try {
      const described = await Context.current().client.workflow.getHandle(workflowId).describe();
      const first = described.raw.workflowExecutionInfo?.firstRunId ?? described.runId;
      const open = ['RUNNING', 'PAUSED', 'CONTINUED_AS_NEW'].includes(described.status.name);
      return open && (first === firstRunId || described.runId === firstRunId);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }

  return {
    /**
     * Removes what no running workflow of this namespace owns on this host: leftovers of terminated runs, killed workers
     * and failed undos. Retry-safe: removing what is gone is success. Younger things are left alone, because their
     * workflow may just be starting.
     */
    async sweepHost({ olderThanSeconds }: { olderThanSeconds: number }): Promise<Sweep> {
      return withHeartbeat(async () => {
        const total = { kept: 0, removedRuns: [] as string[], containers: 0, networks: 0, images: 0, volumes: 0 };
        for (const [run, workflowId] of await sandboxes.leftovers(olderThanSeconds)) {
          if (await isAlive(workflowId, run)) {
            total.kept += 1;
            continue;
          }
          const removed = await sandboxes.removeAll(run);
          total.removedRuns.push(workflowId);
          for (const kind of ['containers', 'networks', 'images', 'volumes'] as const) total[kind] += removed[kind];
        }
        return total;
      });
    },
  };
}
