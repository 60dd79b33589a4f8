import { setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import type { Prepared } from '../../activities/setup/prepare';
import {
  queuesUnder,
  RepoSetupInput,
  type RepoSetupResult,
  type SetupProgress,
  type SetupStatus,
  type SetupVerdictResult,
} from '../../contract';
import type { Verified } from '../../setup/loop/gate';
import { completeService, serviceTrouble } from '../../setup/loop/services';
import { NO_COUNTS } from '../../setup/roles/role';
import { publish } from '../durable/attributes';
import { isCancellation } from '../durable/failures';
import { checked, refuse } from '../durable/input';
import { Phase } from '../durable/phase';
import { modelQueue } from '../durable/retry';
import { onSetBudget, Steering } from '../durable/steering';
import { type Decided, SetupActions } from './actions';
import { moveActivities } from './activities';
import { Allowance } from './allowance';
import { describeSetup } from './details';
import { SetupEnding } from './ending';
import { SandboxGone } from './losses';
import { SetupMemory } from './memory';
import { decideMove, RoleEnded, type RoleGround, rolesOf } from './roles';
import { SetupSandbox } from './sandbox';
import { beginSetup, progressQuery, type SetupRun, spentUnits, transcriptQuery } from './state';

/**
 * A repository (or a family of them) set up until its verifier passes, judged, and kept as an image with the script that
 * makes it again (SetupX, Algorithm 1). Trial fixes run on a LIFO stack of frames, and experience comes in whenever
 * something new stands in the way.
 */
export async function repoSetup(raw: RepoSetupInput): Promise<RepoSetupResult> {
  return new Setup(checked(RepoSetupInput, raw, 'repo setup')).run();
}

/** What is known of sources that never came. */
const NOTHING_FETCHED = { sha256: '', licence: null, notes: [] };

class Setup {
  private readonly state;
  private readonly limits;
  private readonly phase = new Phase('Starting', () => this.show());
  private readonly steering: Steering;
  private readonly sandbox: SetupSandbox;
  private readonly allowance: Allowance;
  private readonly info = workflowInfo();
  private readonly owner = { workflowId: this.info.workflowId, firstRunId: this.info.firstExecutionRunId };
  private readonly queues = queuesUnder(this.info.taskQueue);
  /** Replies of the agent that ended the loop, since none of them could be read. */
  private refused: readonly string[] = [];

  constructor(private readonly input: RepoSetupInput) {
    for (const spec of input.family?.services ?? []) {
      const trouble = serviceTrouble(completeService(spec));
      if (trouble) refuse(`repo setup: family.services: ${trouble}`);
    }
    this.limits = { ...input.limits };
    this.state = beginSetup(input.source);
    this.steering = new Steering(this.state, this.phase);
    const worked = () => (Date.now() - this.state.startedAt - this.steering.idleMs) / 1000;
    this.allowance = new Allowance(this.limits, input.budget, this.state.purse, worked);
    this.sandbox = new SetupSandbox(this.owner, this.queues, input, this.steering);
    setHandler(progressQuery, () => this.progress(), {
      description: 'Where the set-up is and what stands in the way.',
    });
    setHandler(transcriptQuery, () => ({ head: this.state.head, recent: this.state.recent }), {
      description: 'Head of the chain and the last steps.',
    });
  }

  async run(): Promise<RepoSetupResult> {
    const { state, sandbox, input } = this;
    this.steering.listen();
    onSetBudget((budget) => Object.assign(this.limits, budget));
    const ground = await this.castRoles();
    publish({ InstanceId: input.source, Student: input.roles.agent, Phase: 'Fetching' });
    try {
      const prepared = await sandbox.prepare().catch((error) => this.gone(error));
      if (!prepared) return this.conclude(this.summary(NOTHING_FETCHED, null));
      const setup: SetupRun = { ...ground, owner: this.owner, input, state, sandbox, given: prepared.given };
      await this.openChain(setup);
      const memory = new SetupMemory(setup);
      const actions = new SetupActions(setup, memory);
      const ending = new SetupEnding(setup, actions);
      this.phase.enter('Setting up', { Step: state.turn });
      const proof = await this.loop(setup, actions);
      await memory.audit();
      const verdict = proof && input.judge ? await this.judge(ending) : null;
      const kept = proof ? await this.keep(ending).catch((error) => this.nothingKept(error)) : null;
      const learned = await memory.learn(verdict);
      sandbox.keepEnvironment();
      return this.conclude({ ...this.summary(prepared, verdict), ...kept, learned });
    } catch (error) {
      const outcome = isCancellation(error) ? 'cancelled' : 'failed';
      publish({ Phase: 'Done', Outcome: outcome, Step: state.turn, CostUsd: state.purse.usd });
      throw error;
    } finally {
      await sandbox.release();
    }
  }

  /** Which model or policy plays which part, and where it is asked. Throws `InvalidInput` for one that cannot be. */
  private async castRoles(): Promise<RoleGround> {
    const { input, owner, limits, allowance, queues } = this;
    return rolesOf(Object.values(input.roles), {
      run: owner.firstRunId,
      queues,
      source: input.source,
      limits,
      observationChars: input.observationChars,
      budget: input.budget,
      purse: this.state.purse,
      allowance,
    });
  }

  private async openChain({ given }: SetupRun): Promise<void> {
    const { head } = await moveActivities(
      modelQueue(this.queues, { ownQueue: [] }, ''),
    ).openSetupChain.executeWithOptions({ summary: 'the agent begins' }, [
      { role: 'agent', source: this.input.source, given },
    ]);
    this.state.head = head;
  }

  /** One action after another until a `verify` passes on the state as it is, or a limit is reached. */
  private async loop(setup: SetupRun, actions: SetupActions): Promise<Verified | null> {
    const { state, sandbox, steering } = this;
    try {
      for (;;) {
        await steering.whilePaused();
        state.status = this.limitOf();
        if (state.status !== 'verified') return null;
        state.turn += 1;
        const decided = await this.decide(setup);
        if (decided.brief.kind === 'finish' && decided.brief.success === false) return this.gaveUp(decided);
        const proof = await actions.perform(decided);
        this.show();
        if (proof && sandbox.gate.verified === proof) return proof;
      }
    } catch (error) {
      if (!(error instanceof RoleEnded)) return this.gone(error);
      state.status = error.status === 'limit_role_steps' ? 'limit_steps' : error.status;
      state.detail = error.message;
      this.refused = error.refused;
      return null;
    }
  }

  private async decide(setup: SetupRun): Promise<Decided> {
    const { state, sandbox, limits, input } = this;
    const { turn, head } = state;
    const about = {
      services: sandbox.services,
      suggestions: state.offer?.suggestions ?? null,
      tried: spentUnits(state),
      verified: state.verified?.ref ?? null,
      stepsLeft: limits.steps - turn,
    };
    // A provider that is away for long parks the set-up: answers that came are not asked for again.
    return sandbox.surviving(() =>
      decideMove(setup, { role: 'agent', policy: input.roles.agent, turn, head, given: setup.given, about }),
    );
  }

  private gaveUp({ brief }: Decided): null {
    this.state.status = 'gave_up';
    this.state.selfClaim = false;
    this.state.detail = brief.text ?? '';
    return null;
  }

  /** There is no sandbox any more, or a person does not want one: what there is by then is the result. */
  private gone(error: unknown): null {
    if (!(error instanceof SandboxGone)) throw error;
    this.state.status = this.steering.abandoned ? 'cancelled' : error.status;
    this.state.detail = error.message;
    return null;
  }

  /** `verified` while nothing ends the loop: it is the only way to leave it well. */
  private limitOf(): SetupStatus {
    if (this.steering.abandoned) return 'cancelled';
    if (this.state.turn >= this.limits.steps) return 'limit_steps';
    return this.allowance.overspent?.status ?? 'verified';
  }

  private async judge(ending: SetupEnding): Promise<SetupVerdictResult> {
    this.phase.enter('Judging', { Step: this.state.turn });
    return ending.judge();
  }

  private async keep(ending: SetupEnding): Promise<Partial<RepoSetupResult>> {
    this.phase.enter('Keeping', { Step: this.state.turn });
    const { worlds, ...image } = await ending.keep();
    const kept = { ...image, worlds: worlds && [...worlds] };
    if (!this.input.reproduce) return { ...kept, reproduced: null };
    this.phase.enter('Rebuilding', { Step: this.state.turn });
    return { ...kept, ...(await ending.reproduce(image).catch((error) => this.notTried(error))) };
  }

  /** What was kept stands, whether or not anybody could see it made again. */
  private notTried(error: unknown): { reproduced: null } {
    if (!(error instanceof SandboxGone || error instanceof RoleEnded)) throw error;
    this.state.notes.push(`the script was not tried on the base image: ${error.message}`);
    return { reproduced: null };
  }

  private nothingKept(error: unknown): null {
    if (!(error instanceof SandboxGone || error instanceof RoleEnded)) throw error;
    this.state.notes.push(`no environment was kept: ${error.message}`);
    return null;
  }

  private summary(
    prepared: Pick<Prepared, 'sha256' | 'licence' | 'notes'>,
    verdict: SetupVerdictResult | null,
  ): RepoSetupResult {
    const { state, sandbox, input } = this;
    const { purse } = state;
    const verifier = state.verified?.result ?? null;
    return {
      id: this.owner.workflowId,
      status: state.status,
      source: input.source,
      sha256: prepared.sha256,
      licence: prepared.licence,
      selfClaim: state.selfClaim,
      verifier,
      verdict,
      tests: verifier?.counts ?? NO_COUNTS,
      steps: state.turn,
      formatRetries: purse.formatRetries,
      ...(this.refused.length > 0 ? { refused: [...this.refused] } : {}),
      rollbacks: sandbox.rollbacks,
      units: state.trials,
      learned: [],
      frames: [...sandbox.taken],
      services: sandbox.services,
      image: null,
      workdir: input.workdir,
      dockerfile: null,
      script: null,
      lock: null,
      reproduced: null,
      // A smoke test is a file of the verifier's: it is not in the image.
      testCommand: verifier?.smoke ? null : (verifier?.evidence?.command ?? null),
      cost: { usd: Math.round(purse.usd * 1e6) / 1e6, tokens: purse.tokens },
      seconds: Math.round((Date.now() - state.startedAt) / 100) / 10,
      head: state.head,
      notes: [...prepared.notes, ...state.notes],
      detail: state.detail,
    };
  }

  private conclude(result: RepoSetupResult): RepoSetupResult {
    const { state } = this;
    const verdict = result.verdict?.verdict;
    const outcome = verdict ?? state.status;
    this.phase.enter('Done', {
      Outcome: outcome,
      Step: state.turn,
      CostUsd: state.purse.usd,
      Resolved: verdict === 'not_guilty',
    });
    this.show(outcome);
    return result;
  }

  private show(outcome?: string): void {
    setCurrentDetails(describeSetup(this.state, this.phase, this.sandbox.labels, outcome));
  }

  private progress(): SetupProgress {
    const { state, sandbox, phase } = this;
    return {
      phase: phase.shown,
      turn: state.turn,
      head: state.head || null,
      error: state.failure?.signature ?? '',
      frames: sandbox.labels,
      services: sandbox.services.map(({ name }) => name),
      suggested: state.offer?.units ?? [],
      cost: { usd: state.purse.usd, tokens: state.purse.tokens },
      paused: state.paused,
    };
  }
}
