import { Context } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { Drained } from '../contract';
import type { Deps } from '../deps';
import { canBeHadAgain } from '../environments/travel';
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
    /** Tells this host's worker to take nothing new and to end once nothing runs here. Retry-safe: it is told once more. */
    async drainHost(): Promise<Drained> {
      const runs = (await sandboxes.running()).size;
      deps.drain();
      return { host: deps.hostName, runs };
    },

    /**
     * Removes what no running workflow of this namespace owns on this host: leftovers of terminated runs, killed workers
     * and failed undos; and, where its disk is all but full, images that can be had again. Retry-safe: removing what is gone is success. Younger things are left alone, because their
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
          const removed = await sandboxes.removeAll(run, { untold: true });
          total.removedRuns.push(workflowId);
          for (const kind of ['containers', 'networks', 'images', 'volumes'] as const) total[kind] += removed[kind];
        }
        const forgotten = await sandboxes.makeRoom((names) => canBeHadAgain(deps, names));
        total.images += forgotten.length;
        return total;
      });
    },
  };
}
