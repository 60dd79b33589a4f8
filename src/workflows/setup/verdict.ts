import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { Exhibit } from '../../activities/setup/evidence';
import { type Compensation, queuesUnder, SetupVerdictInput, type SetupVerdictResult } from '../../contract';
import { completeService, serviceTrouble } from '../../setup/loop/services';
import { publish } from '../durable/attributes';
import { Compensations } from '../durable/compensations';
import { checked, refuse } from '../durable/input';
import { setupHost, setupPool } from './activities';
import { Allowance } from './allowance';
import { describeVerdict } from './details';
import { rolesOf, tryCase } from './roles';

/** What a verdict on any image makes: whatever its looks leave behind. */
const OPENED: readonly Compensation[] = [{ kind: 'leftovers' }, { kind: 'network' }];

/**
 * Prosecutor, then judge, over a finished environment: charges with evidence, each run again, and a verdict that is computed
 * from the findings. Started by `repoSetup` for its own environment, or by anybody for any image.
 */
export async function setupVerdict(raw: SetupVerdictInput): Promise<SetupVerdictResult> {
  const input = checked(SetupVerdictInput, raw, 'setup verdict');
  const services = input.services.map(completeService);
  for (const trouble of services.map(serviceTrouble)) if (trouble) refuse(`setup verdict: services: ${trouble}`);
  const { workflowId, firstExecutionRunId, taskQueue } = workflowInfo();
  const owner = { workflowId, firstRunId: firstExecutionRunId };
  const queues = queuesUnder(taskQueue);
  const { prosecutor, judge } = input.roles;
  const startedAt = Date.now();
  const purse = { usd: 0, tokens: 0, formatRetries: 0 };
  const worked = () => (Date.now() - startedAt) / 1000;
  const allowance = new Allowance(input.limits, input.budget, purse, worked, input.of?.spent);
  const ground = await rolesOf([prosecutor, judge], {
    run: firstExecutionRunId,
    queues,
    source: input.source,
    limits: input.limits,
    observationChars: input.observationChars,
    budget: input.budget,
    purse,
    allowance,
  });
  let { of } = input;
  const undo = new Compensations([], (records) =>
    (of ? setupHost(of.lease.host, 600) : setupPool(queues)).undo({ owner, records }),
  );
  try {
    if (!of) {
      for (const record of OPENED) undo.register(record);
      of = await openCase();
    }
    const exhibit: Exhibit = { ...of, services, profile: input.sandbox };
    const about = { agent: of.agent, claim: of.claim, services, hint: '', verifier: of.verifier, charges: null };
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
      { owner, source, image, workdir, base, goal, services },
    ]);
  }
}
