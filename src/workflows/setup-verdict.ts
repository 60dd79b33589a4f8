import { proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { createModelActivities } from '../activities/model';
import type { Exhibit } from '../activities/setup-evidence';
import { queuesUnder, SetupVerdictInput, type SetupVerdictResult } from '../contract';
import type { Owner } from '../sandbox/labels';
import { completeService, serviceTrouble } from '../setup/loop/services';
import { Allowance } from './durable/allowance';
import { publish } from './durable/attributes';
import { Compensations } from './durable/compensations';
import { checked, refuse } from './durable/input';
import { setupHost, setupPool } from './durable/setup-activities';
import { describeVerdict } from './durable/setup-details';
import { type RoleGround, tryCase } from './durable/setup-roles';

const models = proxyActivities<Pick<ReturnType<typeof createModelActivities>, 'checkProfiles'>>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 20 },
});

/**
 * Prosecutor, then judge, over a finished environment: charges with evidence, each run again, and a verdict that is computed
 * from the findings. Started by `repoSetup` for its own environment, or by anybody for any image.
 */
export async function setupVerdict(raw: SetupVerdictInput): Promise<SetupVerdictResult> {
  const input = checked(SetupVerdictInput, raw, 'setup verdict');
  const services = input.services.map(completeService);
  for (const trouble of services.map(serviceTrouble)) if (trouble) refuse(`setup verdict: services: ${trouble}`);
  const { workflowId, firstExecutionRunId, taskQueue } = workflowInfo();
  const queues = queuesUnder(taskQueue);
  const { prosecutor, judge } = input.roles;
  const startedAt = Date.now();
  const purse = { usd: 0, tokens: 0, formatRetries: 0 };
  const worked = () => (Date.now() - startedAt) / 1000;
  const allowance = new Allowance(input.limits, input.budget, purse, worked, input.of?.spent);
  const profiles = [prosecutor, judge].filter((name) => !name.startsWith('builtin:'));
  const { ownQueue } = await models.checkProfiles({
    profiles,
    ...(allowance.capUsd ? { capUsd: allowance.capUsd } : {}),
  });
  const ground: RoleGround = {
    run: firstExecutionRunId,
    queueOf: (policy) => (ownQueue.includes(policy) ? queues.model(policy) : queues.workflows),
    source: input.source,
    limits: input.limits,
    observationChars: input.observationChars,
    ...(input.budget ? { budget: input.budget } : {}),
    purse,
    allowance,
  };
  const own = { workflowId, firstRunId: firstExecutionRunId };
  // A set-up's own things are the set-up's to remove.
  const undo = new Compensations({
    releaseSandbox: (args: { owner: Owner }) =>
      (of ? setupHost(of.lease.host, 600) : setupPool(queues)).releaseSandbox(args),
  });
  let of = input.of;
  try {
    if (!of) {
      undo.register('releaseSandbox', { owner: own });
      of = await openCase();
    }
    const exhibit: Exhibit = { ...of, services, profile: input.sandbox };
    const about = {
      agent: of.agent,
      claim: of.claim,
      services,
      hint: '',
      verifier: of.verifier,
      charges: null,
    };
    const trial = await tryCase(ground, exhibit, { prosecutor, judge }, about);
    const result = { ...trial, cost: { usd: purse.usd, tokens: purse.tokens } };
    publish({
      Phase: 'Done',
      Outcome: result.verdict,
      Resolved: result.verdict === 'not_guilty',
      CostUsd: purse.usd,
    });
    setCurrentDetails(describeVerdict(result));
    return result;
  } finally {
    await undo.run();
  }

  async function openCase() {
    const { source, image, workdir, base, goal } = input;
    return setupPool(queues).openCase.executeWithOptions({ summary: `environment ${image}`.slice(0, 120) }, [
      { owner: own, source, image, workdir, base, goal, services },
    ]);
  }
}
