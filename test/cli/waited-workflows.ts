import {
  ApplicationFailure,
  condition,
  defineSignal,
  ParentClosePolicy,
  setHandler,
  startChild,
  upsertSearchAttributes,
} from '@temporalio/workflow';

export const fail = defineSignal<[string]>('fail');
export const park = defineSignal('park');

/** Stands for any long workflow of ours: it fails or parks when it is told to, and does nothing else. */
async function told(): Promise<never> {
  let why: string | undefined;
  setHandler(fail, (reason) => {
    why = reason;
  });
  setHandler(park, () => upsertSearchAttributes({ Phase: ['Parked'] }));
  await condition(() => why !== undefined);
  throw ApplicationFailure.nonRetryable(why!, 'Unavailable');
}

/** Under the names of ours, which is what commands look for. */
export const rollout = (): Promise<never> => told();
export const repoSetup = (): Promise<never> => told();
export async function campaign(rollouts: readonly string[] = []): Promise<never> {
  for (const workflowId of rollouts)
    await startChild('rollout', { workflowId, parentClosePolicy: ParentClosePolicy.ABANDON });
  return told();
}
export const pipeline = (): Promise<never> => told();
export const evaluation = (): Promise<never> => told();
export const report = (): Promise<never> => told();
