import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { createProblemActivities } from '../../activities/problems/problem';
import type { createTranscriptActivities } from '../../activities/rollout/transcript';
import { Limits, queuesUnder, type WorkspaceImage, WorkspaceImageInput, withNeeds } from '../../contract';
import { hostActivities, poolActivities } from '../durable/activities';
import { Compensations } from '../durable/compensations';
import { checked } from '../durable/input';
import { STORE } from '../durable/retry';

const store = proxyActivities<
  ReturnType<typeof createTranscriptActivities> & ReturnType<typeof createProblemActivities>
>(STORE);

/** The sandbox of a rollout as it was after a step, as an image: made again from the recorded steps, like a lost one. */
export async function workspaceImage(raw: WorkspaceImageInput): Promise<WorkspaceImage> {
  const { problem: source, fork, sandbox } = checked(WorkspaceImageInput, raw, 'workspace image');
  const { workflowId, firstExecutionRunId, taskQueue } = workflowInfo();
  const owner = { workflowId, firstRunId: firstExecutionRunId };
  const pool = poolActivities(queuesUnder(taskQueue));
  const problem = await store.loadProblem({ problem: source });
  const { head } = await store.forkTranscript({ fork, problem: problem.ref });
  let host: string | undefined;
  const undo = new Compensations([], (records) =>
    (host ? hostActivities(host, 600) : pool).undo.executeWithOptions({ summary: 'the sandbox is removed' }, [
      { owner, records },
    ]),
  );
  try {
    undo.register({ kind: 'leftovers' });
    undo.register({ kind: 'container', role: 'sandbox' });
    const { lease } = await pool.rebuildSandbox.executeWithOptions({ summary: `sandbox after ${fork.step} steps` }, [
      {
        owner,
        problem: problem.ref,
        profile: withNeeds(sandbox, problem.needs),
        head,
        frames: [],
        commandSeconds: Limits.parse({}).commandSeconds,
        run: owner.firstRunId,
        strict: true,
      },
    ]);
    host = lease.host;
    const { image, base } = await hostActivities(host, 600).keepWorkspace.executeWithOptions(
      { summary: 'kept as an image' },
      [{ lease, head }],
    );
    return { image, base, head };
  } finally {
    await undo.run();
  }
}
