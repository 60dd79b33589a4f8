import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { executeChild, ParentClosePolicy, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { createPipelineActivities } from '../../activities/pipeline';
import { hashKey, uniformBelow } from '../../rollout/random';

const { resultOf } = proxyActivities<Pick<ReturnType<typeof createPipelineActivities>, 'resultOf'>>({
  startToCloseTimeout: '30 days',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

export interface StageAt {
  readonly stage: string;
  /** Workflow id. */
  readonly id: string;
}

/**
 * Children that are steps on the way to a result. Each is named after its parent, its stage and its input, so that a parent
 * that is started again takes what has ended well under that name, and does again what failed or was asked differently.
 */
export class Stages {
  private readonly at = new Map<string, StageAt>();

  constructor(private readonly changed: () => void) {}

  /** What works now. */
  get working(): StageAt[] {
    return [...this.at.values()];
  }

  /** Runs `type` to its end. Throws as a child does. */
  async run<T>(stage: string, type: string, input: unknown, summary: string): Promise<{ id: string; result: T }> {
    const id = `${workflowInfo().workflowId}/${stage}/${digestOf(input)}`;
    this.at.set(id, { stage, id });
    this.changed();
    try {
      return { id, result: await this.begunOrFound<T>(id, type, input, summary) };
    } finally {
      this.at.delete(id);
      this.changed();
    }
  }

  private async begunOrFound<T>(id: string, type: string, input: unknown, summary: string): Promise<T> {
    for (;;) {
      try {
        return (await executeChild(type, {
          workflowId: id,
          args: [input],
          parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
          workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
          staticSummary: summary.slice(0, 120),
        })) as T;
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      }
      const found = await resultOf.executeWithOptions({ summary: `${id} was begun before`.slice(0, 120) }, [{ id }]);
      // One that an earlier parent left behind, cancelled: its name is free again.
      if (found.ended) return found.result as T;
    }
  }
}

/** Eight digits that differ where inputs do. */
function digestOf(input: unknown): string {
  const stream = hashKey(JSON.stringify(input));
  return uniformBelow(stream, 2 ** 32)
    .toString(16)
    .padStart(8, '0');
}
