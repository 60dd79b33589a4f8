import { patched } from '@temporalio/workflow';
import type { LoadedProblem } from '../../activities/problems/problem';
import type { ActionGround, CallModelResult, RunToolResult } from '../../activities/rollout/turn';
import type { GradeResult, Queues, Ref, RolloutCarry, SandboxProfile } from '../../contract';
import { hostActivities, poolActivities } from '../durable/activities';
import { Compensations } from '../durable/compensations';
import { codeOf, isCancellation, isHostLost, messageOf } from '../durable/failures';
import { LeavingHosts } from '../durable/leaving';
import { SnapshotStack } from '../durable/snapshot-stack';
import type { Steering } from '../durable/steering';

interface Ground {
  readonly owner: { workflowId: string; firstRunId: string };
  readonly queues: Queues;
  readonly problem: Pick<LoadedProblem, 'ref' | 'id' | 'parts' | 'services'>;
  readonly profile: SandboxProfile;
}

/** Sandboxes that one run may lose before something other than bad luck must be the reason. */
const MAX_RECOVERIES = 25;

/** What brings a part of a problem about may take so long. */
const OPENING_SECONDS = 900;

/** The sandbox of one rollout: claimed once, rebuilt when it is lost, released whatever happens. */
export class RolloutSandbox {
  /** The work as a patch, once it was kept. */
  patch: Ref | null = null;
  /** Tree id of the work directory at the end. */
  workspace: string | null = null;
  /** A command put its hand to the journal: nothing more is taken from the sandbox, nor from one that is made with the same commands. */
  tampered = false;
  /** The last thing that went wrong. */
  trouble: string | undefined;
  private released: Promise<void> | undefined;
  private readonly undo: Compensations;
  private readonly stack: SnapshotStack;
  /** The next run of the workflow goes on with it. */
  private left = false;
  /** Found out beside the steps: the next use makes it again, and does not wait for the host once more. */
  private lost = false;
  private readonly hosts = new LeavingHosts();

  constructor(
    private readonly ground: Ground,
    private readonly state: RolloutCarry,
    private readonly steering: Steering,
  ) {
    const { owner, profile } = ground;
    const summary = 'sandbox and frames are removed';
    this.undo = new Compensations(state.undo, (records) =>
      this.anywhere().undo.executeWithOptions({ summary }, [{ owner, records }]),
    );
    this.stack = new SnapshotStack(
      { owner, profile, undo: this.undo, lease: () => this.lease, services: () => [] },
      state.frames,
    );
  }

  /** Makes the container, or after a fork the one that the kept steps lead to. */
  async claim(forkedSteps: number): Promise<void> {
    const { owner, problem, profile } = this.ground;
    this.undo.register({ kind: 'leftovers' });
    this.undo.register({ kind: 'container', role: 'sandbox' });
    if (this.state.lease) return;
    if (forkedSteps > 0) return this.rebuild();
    await this.untilItWorks('claim a sandbox', async () => {
      this.state.lease = await this.pool().claimSandbox.executeWithOptions({ summary: `sandbox for ${problem.id}` }, [
        { owner, problem: problem.ref, profile },
      ]);
    });
  }

  /** For actions that are run where workflows are; undefined where they may not be. */
  get here(): ActionGround | undefined {
    const { lease, hosts, tampered, lost } = this;
    return lease.onlyHost && !tampered && !lost && !hosts.leaves(lease) ? this.actionGround : undefined;
  }

  /** Runs the turn's action; a lost container or host is rebuilt from the recorded steps, and the action runs there. */
  async run(turn: number, reply: CallModelResult & { ok: true }): Promise<RunToolResult | 'sandbox_lost' | 'tampered'> {
    for (;;) {
      await this.settle();
      if (this.tampered) return 'tampered';
      const { lease, commandSeconds, next } = this.actionGround;
      try {
        return await hostActivities(lease.host, commandSeconds).runTool.executeWithOptions(
          { summary: `turn ${turn} · ${reply.action}` },
          [{ lease, head: this.state.head, turn: reply.turn, commandSeconds, run: this.ground.owner.firstRunId, next }],
        );
      } catch (error) {
        if (isCancellation(error)) throw error;
        this.trouble = messageOf(error);
        this.tampered = codeOf(error) === 'Tampered';
        if (this.tampered) return 'tampered';
        if (isLost(error)) {
          if (++this.state.recoveries > MAX_RECOVERIES) return 'sandbox_lost';
          await this.rebuild();
        } else {
          await this.steering.park(`turn ${turn} could not be run: ${this.trouble}`);
        }
        if (this.steering.abandoned) return 'sandbox_lost';
      }
    }
  }

  /** Extracts the patch; when the sandbox is gone by now, from one that is rebuilt. Null where there is none to be had. */
  async keepWork(): Promise<Ref | null> {
    const { lease } = this.state;
    if (!lease || this.patch || this.tampered) return this.patch;
    if (this.lost || this.hosts.hasLeft(lease)) {
      await this.settle();
      return this.keepWork();
    }
    try {
      const kept = await hostActivities(lease.host, 600).extractPatch.executeWithOptions(
        { summary: 'the work as a patch' },
        [{ lease }],
      );
      this.patch = kept.patch;
      this.workspace = kept.tree;
      return this.patch;
    } catch (error) {
      if (codeOf(error) === 'Tampered') {
        this.tampered = true;
        this.trouble = messageOf(error);
        return null;
      }
      if (isCancellation(error) || !isLost(error)) throw error;
      if (++this.state.recoveries > MAX_RECOVERIES) return null;
      await this.rebuild();
      return this.keepWork();
    }
  }

  /** The verdict of the problem's tests in this sandbox, or in one that is rebuilt. Null where there is none to be had. */
  async judge(seconds: number): Promise<GradeResult | null> {
    const part = this.ground.problem.parts ? { part: this.part } : {};
    const { owner, problem } = this.ground;
    while (!this.tampered && !this.steering.abandoned) {
      await this.settle();
      const { lease } = this;
      try {
        return await hostActivities(lease.host, seconds).judgeSandbox.executeWithOptions(
          { summary: `grade ${problem.id} in its sandbox` },
          [{ owner, lease, problem: problem.ref, ...part }],
        );
      } catch (error) {
        if (isCancellation(error)) throw error;
        this.trouble = messageOf(error);
        if (!isLost(error)) await this.steering.park(`not graded: ${this.trouble}`);
        else if (++this.state.recoveries > MAX_RECOVERIES) return null;
        else await this.rebuild();
      }
    }
    return null;
  }

  /** The next part, where the agent is: behind its verdict, which is kept with the run. False where there is none to be had. */
  async openNext(): Promise<boolean> {
    const { ref } = this.ground.problem;
    while (!this.tampered && !this.steering.abandoned) {
      const { lease } = this;
      try {
        await hostActivities(lease.host, OPENING_SECONDS).openPart.executeWithOptions(
          { summary: `part ${this.part + 1}` },
          [{ lease, problem: ref, part: this.part }],
        );
        return true;
      } catch (error) {
        if (isCancellation(error)) throw error;
        this.trouble = messageOf(error);
        if (!isLost(error)) await this.steering.park(`part ${this.part + 1} cannot begin: ${this.trouble}`);
        else if (++this.state.recoveries > MAX_RECOVERIES) return false;
        else {
          await this.rebuild();
          return true;
        }
      }
    }
    return false;
  }

  /** The part that the agent works on, from 0. */
  private get part(): number {
    return this.state.parts?.length ?? 0;
  }

  /** Where the profile asks for frames: one after every so many turns; a rebuild then starts from the newest. */
  async checkpointAfter(turn: number): Promise<void> {
    const every = this.ground.profile.checkpointEvery;
    if (!this.frameHoldsAll) return;
    if (every === 0 || turn % every !== 0) return;
    try {
      await this.stack.checkpoint(`after turn ${turn}`);
    } catch (error) {
      // A missed checkpoint costs a longer rebuild, nothing else; a lost sandbox shows at the next turn.
      if (isCancellation(error)) throw error;
      this.trouble = messageOf(error);
      this.lost = isLost(error) && patched('lost at a checkpoint');
    }
  }

  /** Nothing holds what services hold, nor tells which part a frame is of. */
  private get frameHoldsAll(): boolean {
    return !this.ground.problem.services && !this.ground.problem.parts;
  }

  /** Between two uses: the sandbox is made again where it is known to be lost, and elsewhere where its host leaves. */
  private async settle(): Promise<void> {
    const { lease, hosts } = this;
    if (hosts.leaves(lease)) {
      if (!hosts.hasLeft(lease)) await this.packUp();
      hosts.forget(lease);
    } else if (!this.lost) return;
    this.lost = false;
    await this.rebuild();
  }

  /** A frame that travels, so that nothing is done again elsewhere, and room for others here. */
  private async packUp(): Promise<void> {
    const { owner } = this.ground;
    try {
      if (this.frameHoldsAll) await this.stack.checkpoint('handed on', [], true);
      const records = [{ kind: 'leftovers' as const }];
      const summary = 'sandbox and frames of the host that leaves';
      await this.anywhere().undo.executeWithOptions({ summary }, [{ owner, records }]);
    } catch (error) {
      // What was recorded makes it again without; the janitor removes what stays.
      if (isCancellation(error)) throw error;
      this.trouble = messageOf(error);
    }
  }

  /** Leaves everything as it is to the next run of the workflow. */
  leave(): void {
    this.left = true;
  }

  /** Whoever asks, all wait for the one removal. */
  async release(): Promise<void> {
    if (this.left) return;
    this.released ??= this.undo.run();
    await this.released;
  }

  private get lease() {
    const { lease } = this.state;
    if (!lease) throw new Error('the sandbox was not claimed');
    return lease;
  }

  private get actionGround(): ActionGround {
    const { lease, part } = this;
    const { ref, parts } = this.ground.problem;
    const next = parts && part + 1 < parts.length ? { problem: ref, part: part + 1 } : undefined;
    return { lease, commandSeconds: this.state.limits.commandSeconds, next };
  }

  private async rebuild(): Promise<void> {
    const { owner, problem, profile } = this.ground;
    const { head, frames, spent, limits } = this.state;
    await this.untilItWorks('rebuild the sandbox', async () => {
      const rebuilt = await this.pool().rebuildSandbox.executeWithOptions(
        { summary: `sandbox again: ${spent.steps} steps` },
        [
          {
            owner,
            problem: problem.ref,
            profile,
            head,
            frames,
            commandSeconds: limits.commandSeconds,
            run: owner.firstRunId,
            ...(problem.parts ? { part: this.part } : {}),
          },
        ],
      );
      this.state.lease = rebuilt.lease;
      this.state.redone += rebuilt.redone;
      if (rebuilt.differences.length > 0) this.trouble = `rebuilt with differences: ${rebuilt.differences.join('; ')}`;
    });
  }

  private async untilItWorks(what: string, attempt: () => Promise<void>): Promise<void> {
    while (!this.steering.abandoned) {
      try {
        return await attempt();
      } catch (error) {
        if (isCancellation(error) || codeOf(error) === 'InvalidInput' || codeOf(error) === 'NotFound') throw error;
        if (codeOf(error) === 'Tampered') {
          this.tampered = true;
          this.trouble = messageOf(error);
          return;
        }
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

function isLost(error: unknown): boolean {
  return codeOf(error) === 'SandboxLost' || isHostLost(error);
}
