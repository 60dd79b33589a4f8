import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  startChild,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import type { Ending } from '../../activities/campaign/endings';
import type { CampaignInput, Method, PlannedRollout, SharedBudget } from '../../contract';
import { rolloutDetails } from '../../rollout/summary';
import { isCancellation } from '../durable/failures';
import { rollout } from '../rollout';
import type { CampaignEndings } from './endings';

/** A rollout of the plan, and what it is begun with. */
interface Begun {
  /** `kept`: steps of the teacher's that it goes on behind. */
  readonly planned: PlannedRollout & { readonly kept?: number };
  readonly method: Method;
  readonly campaign: CampaignInput;
  readonly budget: SharedBudget | undefined;
  readonly endings: CampaignEndings;
  /** Told once the server has it. */
  started(): void;
}

/**
 * One rollout of a campaign to its end. It is started as a child that outlives this run of the campaign, and even one that
 * is terminated: of one id none is started twice, and one that has completed is taken as it is. `started` is told once the
 * server has it.
 */
export async function rolloutOf({ planned, method, campaign, budget, endings, started }: Begun): Promise<Ending> {
  const { limits, sandbox, seed, priority, tenant } = campaign;
  const { id, instance, problem, pass, recipe } = planned;
  const { student, expert, handOver } = method;
  const fork = planned.teacher && planned.kept ? { run: planned.teacher.run, step: planned.kept } : undefined;
  if (CancellationScope.current().consideredCancelled) return endings.of({ ...planned, skipped: 'cancelled' });
  // Begun for certain or not at all: a start that is cancelled halfway leaves a rollout that nobody knows of.
  const child = await CancellationScope.nonCancellable(() =>
    startChild(rollout, {
      workflowId: id,
      args: [{ problem, student, expert, handOver, limits, sandbox, seed, attempt: pass, grade: true, budget, fork }],
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: `${instance} · ${method.name} · pass ${pass + 1}`.slice(0, 120),
      staticDetails: rolloutDetails({ id, instance, student, expert, handOver }),
      memo: { method: method.name, pass, recipe },
      priority: { priorityKey: priority, fairnessKey: tenant?.key, fairnessWeight: tenant?.weight },
    }),
  ).catch((error: unknown) => {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
    throw error;
  });
  started();
  if (!child) return attached(planned, endings);
  // How it ended is asked of the server, which also knows what a cancelled or failed one has used.
  return cancelledToo(
    planned,
    child.result().then(
      () => endings.of(planned),
      () => endings.of(planned),
    ),
  );
}

/** One that somebody else began: the run before this one, or a campaign of this id that is gone. */
export function attached(planned: PlannedRollout, endings: CampaignEndings): Promise<Ending> {
  return cancelledToo(planned, endings.of(planned));
}

/** Cancelling the campaign cancels its rollouts, whoever began them; each keeps its work before it ends. */
async function cancelledToo({ id }: PlannedRollout, ending: Promise<Ending>): Promise<Ending> {
  let ended = false;
  const known = ending.finally(() => {
    ended = true;
  });
  try {
    await condition(() => ended);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    // One that has just ended cannot be cancelled, and need not be.
    const cancel = () => getExternalWorkflowHandle(id).cancel();
    await CancellationScope.nonCancellable(cancel).catch(() => {});
  }
  return known;
}
