import type { DatasetResult, Funnel } from '../contract';
import type { MethodFunnel } from './funnel';

/** What the paper's filter dropped of trajectories that had passed (OEC, section 5). */
export const PAPER_REPETITION = [
  { setting: '7B student', rate: 0.0846, reading: 167, identical: 93 },
  { setting: '32B student', rate: 0.0363, reading: 43, identical: 2 },
] as const;

/** Of rollouts that passed, the share that the repetition filter dropped, by method. */
export function repetitionRates(funnels: readonly MethodFunnel[]): DatasetResult['repetition'] {
  return funnels.map(({ method, funnel }) => {
    const passed = reached(funnel, 'not_doubtful');
    const dropped = passed - reached(funnel, 'not_repetitive');
    return { method, passed, dropped, rate: passed === 0 ? 0 : dropped / passed };
  });
}

function reached({ stages }: Funnel, stage: Funnel['stages'][number]['stage']): number {
  return stages.find((each) => each.stage === stage)?.count ?? 0;
}
