import { proxyActivities, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import type { createModelActivities } from '../activities/model';
import type { Prepared } from '../activities/setup-prepare';
import {
  queuesUnder,
  RepoSetupInput,
  type RepoSetupResult,
  type SetupStatus,
  type SetupVerdictResult,
} from '../contract';
import type { Verified } from '../setup/loop/gate';
import { completeService, serviceTrouble } from '../setup/loop/services';
import { NO_COUNTS } from '../setup/roles/role';
import { Allowance } from './durable/allowance';
import { publish } from './durable/attributes';
import { isCancellation } from './durable/failures';
import { checked, refuse } from './durable/input';
import { setupProgressQuery, setupTranscriptQuery } from './durable/queries';
import { SandboxGone } from './durable/sandbox-losses';
import { type Decided, SetupActions } from './durable/setup-actions';
import { moveActivities } from './durable/setup-activities';
import { describeSetup } from './durable/setup-details';
import { SetupEnding } from './durable/setup-ending';
import { SetupMemory } from './durable/setup-memory';
import { decideMove, RoleEnded, type RoleGround } from './durable/setup-roles';
import { SetupSandbox } from './durable/setup-sandbox';
import { beginSetup, spentUnits } from './durable/setup-state';
import { Steering } from './durable/steering';

const models = proxyActivities<Pick<ReturnType<typeof createModelActivities>, 'checkProfiles'>>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 20 },
});

/** What is known of sources that never came. */
const NOTHING_FETCHED = { sha256: '', licence: null, notes: [] };

/**
 * A repository (or a family of them) set up until its verifier passes, judged, and kept as an image with the script that
 * makes it again (SetupX, Algorithm 1). Trial fixes run on a LIFO stack of frames, and experience comes in whenever
 * something new stands in the way.
 */
export async function repoSetup(raw: RepoSetupInput): Promise<RepoSetupResult> {
  const input = checked(RepoSetupInput, raw, 'repo setup');
  for (const spec of input.family?.services ?? []) {
    const trouble = serviceTrouble(completeService(spec));
    if (trouble) refuse(`repo setup: family.services: ${trouble}`);
  }
  const { workflowId, firstExecutionRunId, taskQueue } = workflowInfo();
  const owner = { workflowId, firstRunId: firstExecutionRunId };
  const queues = queuesUnder(taskQueue);
  const limits = { ...input.limits };
  const state = beginSetup(input.source);
  const steering = new Steering(
    {
      nextTurn: () => state.turn + 1,
      handOver: () => {},
      canHandOver: () => refuse('handOver: a set-up has one agent'),
      setBudget: (budget) => Object.assign(limits, budget),
      waiting: (reason) => show(reason ? (reason === 'paused' ? 'Paused' : 'Parked') : 'Setting up', reason),
    },
    false,
  );
  const worked = () => (Date.now() - state.startedAt - steering.idleMs) / 1000;
  const allowance = new Allowance(limits, input.budget, state.purse, worked);
  const sandbox = new SetupSandbox(owner, queues, input, steering);
  setHandler(setupProgressQuery, progress, { description: 'Where the set-up is and what stands in the way.' });
  setHandler(setupTranscriptQuery, () => ({ head: state.head, recent: state.recent }), {
    description: 'Head of the chain and the last steps.',
  });
  const { ownQueue } = await models.checkProfiles.executeWithOptions({ summary: 'who plays which part' }, [
    {
      profiles: Object.values(input.roles).filter((name) => !name.startsWith('builtin:')),
      ...(allowance.capUsd ? { capUsd: allowance.capUsd } : {}),
    },
  ]);
  const ground: RoleGround = {
    run: firstExecutionRunId,
    queueOf: (policy) => (ownQueue.includes(policy) ? queues.model(policy) : queues.workflows),
    source: input.source,
    limits,
    observationChars: input.observationChars,
    ...(input.budget ? { budget: input.budget } : {}),
    purse: state.purse,
    allowance,
  };
  publish({ InstanceId: input.source, Student: input.roles.agent, Phase: 'Fetching' });

  try {
    const prepared = await sandbox.prepare().catch(gone);
    if (!prepared) return ended(summary(NOTHING_FETCHED, null));
    const { given } = prepared;
    const opened = await moveActivities(queues.workflows).openSetupChain.executeWithOptions(
      { summary: 'the agent begins' },
      [
        {
          role: 'agent',
          source: input.source,
          given,
        },
      ],
    );
    state.head = opened.head;
    const memory = new SetupMemory(state, sandbox, input, firstExecutionRunId, given, allowance);
    const actions = new SetupActions(state, sandbox, memory, input, ground, given, owner);
    const ending = new SetupEnding(state, sandbox, actions, input, limits, allowance, given, owner);
    show('Setting up');
    const proof = await loop(actions, given);
    await memory.audit();
    if (proof && input.judge) show('Judging');
    const verdict = proof && input.judge ? await ending.judge() : null;
    const kept = proof ? await keep(ending).catch(nothingKept) : null;
    const learned = await memory.learn(verdict);
    return ended({ ...summary(prepared, verdict), ...kept, learned });
  } catch (error) {
    publish({
      Phase: 'Done',
      Outcome: isCancellation(error) ? 'cancelled' : 'failed',
      Step: state.turn,
      CostUsd: state.purse.usd,
    });
    throw error;
  } finally {
    await sandbox.release();
  }

  /** One action after another until a `verify` passes on the state as it is, or a limit is reached. */
  async function loop(actions: SetupActions, given: RepoGiven): Promise<Verified | null> {
    try {
      for (;;) {
        await steering.whilePaused();
        state.status = limitOf();
        if (state.status !== 'verified') return null;
        state.turn += 1;
        const decided = await decide(given);
        if (decided.brief.kind === 'finish' && decided.brief.success === false) return gaveUp(decided);
        const proof = await actions.perform(decided);
        show('Setting up');
        if (proof && sandbox.gate.verified === proof) return proof;
      }
    } catch (error) {
      if (!(error instanceof RoleEnded)) return gone(error);
      state.status = error.status === 'limit_role_steps' ? 'limit_steps' : error.status;
      state.detail = error.message;
      return null;
    }
  }

  /** There is no sandbox any more, or a person does not want one: what there is by then is the result. */
  function gone(error: unknown): null {
    if (!(error instanceof SandboxGone)) throw error;
    state.status = steering.abandoned ? 'cancelled' : 'sandbox_lost';
    state.detail = error.message;
    return null;
  }

  async function decide(given: RepoGiven): Promise<Decided> {
    const about = {
      ...{ services: sandbox.services, suggestions: state.offer?.suggestions ?? null, tried: spentUnits(state) },
      ...{ verified: state.verified?.ref ?? null, stepsLeft: limits.steps - state.turn },
    };
    const { turn, head } = state;
    // A provider that is away for long parks the set-up: answers that came are not asked for again.
    return sandbox.surviving(() =>
      decideMove(ground, { role: 'agent', policy: input.roles.agent, turn, head, given, about }),
    );
  }

  function gaveUp({ brief }: Decided): null {
    state.status = 'gave_up';
    state.selfClaim = false;
    state.detail = brief.text ?? '';
    return null;
  }

  /** `verified` while nothing ends the loop: it is the only way to leave it well. */
  function limitOf(): SetupStatus {
    if (steering.abandoned) return 'cancelled';
    if (state.turn >= limits.steps) return 'limit_steps';
    return allowance.overspent?.status ?? 'verified';
  }

  async function keep(ending: SetupEnding) {
    show('Keeping');
    const kept = await ending.keep();
    if (!input.reproduce) return { ...kept, reproduced: null };
    show('Rebuilding');
    return { ...kept, ...(await ending.reproduce(kept).catch(notTried)) };
  }

  /** What was kept stands, whether or not anybody could see it made again. */
  function notTried(error: unknown): { reproduced: null } {
    if (!(error instanceof SandboxGone || error instanceof RoleEnded)) throw error;
    state.notes.push(`the script was not tried on the base image: ${error.message}`);
    return { reproduced: null };
  }

  function nothingKept(error: unknown): null {
    if (!(error instanceof SandboxGone || error instanceof RoleEnded)) throw error;
    state.notes.push(`no environment was kept: ${error.message}`);
    return null;
  }

  function summary(
    prepared: Pick<Prepared, 'sha256' | 'licence' | 'notes'>,
    verdict: SetupVerdictResult | null,
  ): RepoSetupResult {
    const verifier = state.verified?.result ?? null;
    return {
      ...{
        id: workflowId,
        status: state.status,
        source: input.source,
        sha256: prepared.sha256,
        licence: prepared.licence,
      },
      ...{ selfClaim: state.selfClaim, verifier, verdict, tests: verifier?.counts ?? NO_COUNTS },
      ...{ steps: state.turn, formatRetries: state.purse.formatRetries, rollbacks: sandbox.rollbacks },
      ...{ units: state.trials, learned: [], frames: [...sandbox.taken], services: sandbox.services },
      ...{ image: null, workdir: input.workdir, dockerfile: null, script: null, lock: null, reproduced: null },
      // A smoke test is a file of the verifier's: it is not in the image.
      testCommand: verifier?.smoke ? null : (verifier?.evidence?.command ?? null),
      cost: { usd: Math.round(state.purse.usd * 1e6) / 1e6, tokens: state.purse.tokens },
      seconds: Math.round((Date.now() - state.startedAt) / 100) / 10,
      head: state.head,
      notes: [...prepared.notes, ...state.notes],
      ...(state.detail === undefined ? {} : { detail: state.detail }),
    };
  }

  function ended(result: RepoSetupResult): RepoSetupResult {
    const verdict = result.verdict?.verdict;
    show('Done', verdict ?? state.status);
    publish({
      Phase: 'Done',
      Outcome: verdict ?? state.status,
      Step: state.turn,
      CostUsd: state.purse.usd,
      Resolved: verdict === 'not_guilty',
    });
    return result;
  }

  function show(phase: string, note?: string): void {
    const changed = phase !== state.phase;
    state.phase = phase;
    if (changed) publish({ Phase: phase, Step: state.turn });
    setCurrentDetails(describeSetup(state, sandbox.labels, note));
  }

  function progress() {
    return {
      ...{ phase: state.phase, turn: state.turn, head: state.head || null, error: state.failure?.signature ?? '' },
      ...{ frames: sandbox.labels, services: sandbox.services.map(({ name }) => name) },
      ...{ suggested: state.offer?.units ?? [], cost: { usd: state.purse.usd, tokens: state.purse.tokens } },
      paused: state.phase === 'Paused',
    };
  }
}

type RepoGiven = Parameters<typeof decideMove>[1]['given'];
