import type { CallModelResult } from '../../activities/model';
import type { RunToolResult } from '../../activities/sandbox';
import type { Limits, Queues, Ref, SandboxProfile } from '../../contract';
import { hostActivities, poolActivities } from './activities';
import { Compensations } from './compensations';
import { codeOf, isCancellation, isHostLost, messageOf } from './failures';
import type { RolloutState } from './rollout-state';
import { SnapshotStack } from './snapshot-stack';
import type { Steering } from './steering';

interface Ground {
  readonly owner: { workflowId: string; firstRunId: string };
  readonly queues: Queues;
  readonly problem: { ref: Ref; id: string };
  readonly profile: SandboxProfile;
  readonly limits: Limits;
}

/** Sandboxes that one run may lose before something other than bad luck must be the reason. */
const MAX_RECOVERIES = 25;

/** The sandbox of one rollout: claimed once, rebuilt when it is lost, released whatever happens. */
export class RolloutSandbox {
  private readonly compensations: Compensations;
  private readonly stack: SnapshotStack;

  constructor(
    private readonly ground: Ground,
    private readonly state: RolloutState,
    private readonly steering: Steering,
  ) {
    this.compensations = new Compensations({
      releaseSandbox: (args: { owner: Ground['owner'] }) =>
        this.anywhere().releaseSandbox.executeWithOptions({ summary: 'sandbox and frames' }, [args]),
    });
    this.compensations.register('releaseSandbox', { owner: ground.owner });
    this.stack = new SnapshotStack(ground.owner, state.frames, () => state.lease!, ground.profile);
  }

  /** Makes the container, or after a fork the one that the kept steps lead to. */
  async claim(): Promise<void> {
    const { owner, problem, profile } = this.ground;
    if (this.state.lease) return;
    if (this.state.forked > 0) return void (await this.rebuild());
    await this.untilItWorks('claim a sandbox', async () => {
      this.state.lease = await this.pool().claimSandbox.executeWithOptions({ summary: `sandbox for ${problem.id}` }, [
        { owner, problem: problem.ref, profile },
      ]);
    });
  }

  /** Runs the turn's action; a lost container or host is rebuilt from the recorded steps, and the action runs there. */
  async run(turn: number, reply: CallModelResult & { ok: true }): Promise<RunToolResult | 'sandbox_lost'> {
    const { commandSeconds } = this.ground.limits;
    for (;;) {
      const lease = this.state.lease!;
      try {
        return await hostActivities(lease.host, commandSeconds).runTool.executeWithOptions(
          { summary: `turn ${turn} · ${reply.action}` },
          [{ lease, head: this.state.head, turn: reply.turn, commandSeconds, run: this.ground.owner.firstRunId }],
        );
      } catch (error) {
        if (isCancellation(error)) throw error;
        this.state.trouble = messageOf(error);
        if (codeOf(error) === 'SandboxLost' || isHostLost(error)) {
          if (++this.state.recoveries > MAX_RECOVERIES) return 'sandbox_lost';
          await this.rebuild();
        } else {
          await this.steering.park(`turn ${turn} could not be run: ${this.state.trouble}`);
        }
        if (this.steering.abandoned) return 'sandbox_lost';
      }
    }
  }

  /** Extracts the patch; when the sandbox is gone by now, from one that is rebuilt. */
  async keepWork(): Promise<void> {
    const { lease, patch } = this.state;
    if (!lease || patch) return;
    try {
      const kept = await hostActivities(lease.host, 600).extractPatch.executeWithOptions(
        { summary: 'the work as a patch' },
        [{ lease }],
      );
      Object.assign(this.state, { patch: kept.patch, workspace: kept.tree });
    } catch (error) {
      if (isCancellation(error)) throw error;
      if (codeOf(error) !== 'SandboxLost' && !isHostLost(error)) throw error;
      if (++this.state.recoveries > MAX_RECOVERIES) return;
      await this.rebuild();
      await this.keepWork();
    }
  }

  /** Where the profile asks for frames: one after every so many turns; a rebuild then starts from the newest. */
  async checkpointAfter(turn: number): Promise<void> {
    const every = this.ground.profile.checkpointEvery;
    if (every === 0 || turn % every !== 0) return;
    try {
      await this.stack.checkpoint(`after turn ${turn}`);
    } catch (error) {
      // A missed checkpoint costs a longer rebuild, nothing else; a lost sandbox shows at the next turn.
      if (isCancellation(error)) throw error;
      this.state.trouble = messageOf(error);
    }
  }

  async release(): Promise<void> {
    await this.compensations.run();
  }

  private async rebuild(): Promise<void> {
    const { owner, problem, profile, limits } = this.ground;
    await this.untilItWorks('rebuild the sandbox', async () => {
      const rebuilt = await this.pool().rebuildSandbox.executeWithOptions(
        { summary: `sandbox again: ${this.state.spent.steps} steps` },
        [
          {
            owner,
            problem: problem.ref,
            profile,
            head: this.state.head,
            frames: this.state.frames,
            commandSeconds: limits.commandSeconds,
            run: owner.firstRunId,
          },
        ],
      );
      this.state.lease = rebuilt.lease;
      this.state.redone += rebuilt.redone;
      if (rebuilt.differences.length > 0)
        this.state.trouble = `rebuilt with differences: ${rebuilt.differences.join('; ')}`;
    });
  }

  private async untilItWorks(what: string, attempt: () => Promise<void>): Promise<void> {
    while (!this.steering.abandoned) {
      try {
        return await attempt();
      } catch (error) {
        if (isCancellation(error) || codeOf(error) === 'InvalidInput' || codeOf(error) === 'NotFound') throw error;
        await this.steering.park(`cannot ${what}: ${messageOf(error)}`);
      }
    }
  }

  private pool() {
    return poolActivities(this.ground.queues);
  }

  /** Where the run's things are: its host, or any host when it never had one (a claim whose answer was lost). */
  private anywhere() {
    return this.state.lease ? hostActivities(this.state.lease.host, 600) : this.pool();
  }
}
