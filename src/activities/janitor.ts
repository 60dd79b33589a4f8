import { Context } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import { LABEL } from '../sandbox/labels';
import type { Deps } from './deps';
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
  const { docker, host } = deps;

  /** Runs that something on this host is labelled with, and the workflow that owns each. */
  async function labelledRuns(olderThanSeconds: number): Promise<Map<string, string>> {
    const filters = { label: [`${LABEL.lease}=run`, `${LABEL.scope}=${host.scope}`] };
    const before = Date.now() / 1000 - olderThanSeconds;
    const [containers, images, networks] = await Promise.all([
      docker.listContainers({ all: true, filters }),
      docker.listImages({ filters }),
      docker.listNetworks({ filters }),
    ]);
    const found = [
      ...containers.map((each) => ({ labels: each.Labels, created: each.Created })),
      ...images.map((each) => ({ labels: each.Labels, created: each.Created })),
      ...networks.map((each) => ({ labels: each.Labels, created: Date.parse(each.Created) / 1000 })),
    ];
    const young = new Set(found.filter(({ created }) => created > before).map(({ labels }) => labels?.[LABEL.run]));
    const runs = new Map<string, string>();
    for (const { labels } of found) {
      const run = labels?.[LABEL.run];
      if (run && !young.has(run)) runs.set(run, labels[LABEL.workflow] ?? '');
    }
    return runs;
  }

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
        for (const [run, workflowId] of await labelledRuns(olderThanSeconds)) {
          if (await isAlive(workflowId, run)) {
            total.kept += 1;
            continue;
          }
          const removed = await host.removeAll(run);
          total.removedRuns.push(workflowId);
          for (const kind of ['containers', 'networks', 'images', 'volumes'] as const) total[kind] += removed[kind];
        }
        return total;
      });
    },
  };
}
