import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { writeSampleCampaign } from '../support/sample-campaign';
import type { Scenario } from './scenarios';

/** An analysis of a sample campaign that is written into the world's home first. */
function analysis(
  type: 'covariateShift' | 'failureAnalysis',
  what: string,
  more: object,
  { during, rollouts = 36 }: { during?: Scenario['during']; rollouts?: number } = {},
): Scenario {
  return {
    name: `${type}-${what}`,
    type,
    input: async ({ home }) => {
      const { campaign } = await writeSampleCampaign(home, { rollouts, instances: 2, steps: [4, 6], hostile: false });
      const group = (name: string, method: string) => ({ name, source: { campaign }, method });
      const asked =
        type === 'failureAnalysis'
          ? { sources: [{ campaign }] }
          : { expert: group('expert', 'bc'), students: [group('student', 'on-policy')], permutations: 9, maxTurns: 6 };
      return { ...asked, ...more };
    },
    ...(during ? { during } : {}),
  };
}

const shift = (what: string, more: object = {}, at: Parameters<typeof analysis>[3] = {}) =>
  analysis('covariateShift', what, more, at);
const failures = (what: string, more: object = {}, at: Parameters<typeof analysis>[3] = {}) =>
  analysis('failureAnalysis', what, more, at);

const parked = async (handle: WorkflowHandle) => {
  for (let phase = ''; phase !== 'Parked'; await sleep(100)) {
    const attributes = (await handle.describe()).typedSearchAttributes.getAll();
    phase = String(attributes.find(({ key }) => key.name === 'Phase')?.value);
  }
};
const steered = async (handle: WorkflowHandle) => {
  await handle.executeUpdate('pause');
  await handle.executeUpdate('setConcurrency', { args: [{ concurrency: 3 }] });
  await sleep(300);
  await handle.executeUpdate('resume');
};
const raised = async (handle: WorkflowHandle) => {
  await parked(handle);
  await handle.executeUpdate('setBudget', { args: [{ costUsd: 20 }] });
  await handle.executeUpdate('resume');
};
const abandoned = async (handle: WorkflowHandle) => {
  await parked(handle);
  await handle.executeUpdate('abandon');
};
const cancelled = async (handle: WorkflowHandle) => {
  await sleep(500);
  await handle.cancel();
};
const POOR = { costUsd: 0.000_01, concurrency: 2 };

export const analysisScenarios: readonly Scenario[] = [
  shift('measured'),
  shift('steered', { concurrency: 1, over: 'per_instance' }, { during: steered }),
  shift('raised', { embedding: 'slow', ...POOR }, { during: raised }),
  shift('abandoned', { embedding: 'slow', maxTurns: 5, ...POOR }, { during: abandoned }),
  shift('cancelled', { concurrency: 1 }, { during: cancelled }),
  shift('not-found', { instances: ['nowhere'] }),
  shift('bad-input', { students: [] }),
  failures('ruled'),
  failures('judged', { judge: 'prose' }),
  failures('steered', { concurrency: 1 }, { during: steered }),
  failures('raised', { judge: 'slow', ...POOR }, { during: raised }),
  failures('abandoned', { judge: 'slow', ...POOR }, { during: abandoned }),
  failures('cancelled', { concurrency: 1 }, { during: cancelled }),
  failures('not-found', { methods: ['nobody'] }),
  failures('bad-input', { judge: 'builtin:guess' }),
];

/** Recorded on a server that suggests continue-as-new early. */
export const continuedAnalyses: readonly Scenario[] = [
  shift('continued', { concurrency: 2 }, { rollouts: 108 }),
  failures('continued', { concurrency: 2 }, { rollouts: 108 }),
];
