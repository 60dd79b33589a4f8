import { continueAsNew, proxyActivities, sleep } from '@temporalio/workflow';
import type { Compensation } from '../../src/contract';
import { Compensations } from '../../src/workflows/durable/compensations';

export interface Compensated {
  readonly undo: Compensation[];
  readonly run: number;
}

const { undo } = proxyActivities<{ undo(records: Compensation[]): Promise<void> }>({
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 3, initialInterval: '10 milliseconds' },
});

/** Makes a container and a frame in one run, another frame in the next, and is then cancelled. */
export async function compensated({ undo: records, run }: Compensated): Promise<never> {
  const made = new Compensations(records, (reversed) => undo(reversed));
  made.register({ kind: 'leftovers' });
  made.register({ kind: 'container', role: 'main' });
  made.register({ kind: 'frame', index: run });
  if (run === 0) {
    made.register({ kind: 'frame', index: 7 });
    made.forget({ kind: 'frame', index: 7 });
    return continueAsNew<typeof compensated>({ undo: records, run: 1 });
  }
  try {
    await sleep('1 hour');
    throw new Error('nobody cancelled it');
  } finally {
    await made.run();
    // A second time there is nothing left to undo.
    await made.run();
  }
}
