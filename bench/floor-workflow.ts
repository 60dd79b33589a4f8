import { proxyActivities } from '@temporalio/workflow';

const { nothing } = proxyActivities<{ nothing(input: { step: number }): Promise<{ step: number }> }>({
  startToCloseTimeout: '1 minute',
});

/** Two empty activities a step and nothing else: what Temporal itself costs. Gives the milliseconds of each step. */
export async function floor(steps: number): Promise<number[]> {
  const taken: number[] = [];
  for (let step = 0; step < steps; step++) {
    const since = Date.now();
    await nothing.executeWithOptions({ summary: `step ${step} · model` }, [{ step }]);
    await nothing.executeWithOptions({ summary: `step ${step} · tool` }, [{ step }]);
    taken.push(Date.now() - since);
  }
  return taken;
}
