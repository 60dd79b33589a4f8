import type { CheckpointInput } from '../../activities/rollout/sandbox';
import type { Frame, Lease, SandboxProfile } from '../../contract';
import { hostActivities } from './activities';
import type { Compensations } from './compensations';

/** A checkpoint or rollback moves gigabytes at worst. */
const SECONDS = 1_800;

/** What a stack belongs to, and how its frames are undone when the run ends. */
export interface StackGround {
  readonly owner: CheckpointInput['owner'];
  readonly profile: SandboxProfile;
  readonly undo: Compensations;
  lease(): Lease;
  /** Names of the services that are up. */
  services(): readonly string[];
}

/**
 * The LIFO stack of frames of one sandbox. `frames` is plain data that the workflow keeps, so continue-as-new and a reset
 * carry it; the images behind it belong to the run and go with it.
 */
export class SnapshotStack {
  constructor(
    private readonly ground: StackGround,
    readonly frames: Frame[],
  ) {}

  get top(): Frame | undefined {
    return this.frames.at(-1);
  }

  /** Of the frame that is pushed next. */
  get nextIndex(): number {
    return (this.top?.index ?? -1) + 1;
  }

  /** Pushes what the sandbox is now. One that travels can be gone on from on another host. */
  async checkpoint(label: string, services = this.ground.services(), travels?: true): Promise<Frame> {
    const { owner, undo } = this.ground;
    const index = this.nextIndex;
    undo.register({ kind: 'frame', index });
    const frame = await this.host().checkpointSandbox.executeWithOptions({ summary: `frame ${index}: ${label}` }, [
      { owner, lease: this.ground.lease(), index, label, services, travels },
    ]);
    this.frames.push(frame);
    return frame;
  }

  /** Back to the frame `steps` below the top (0: the top itself). It stays on the stack; those above it are removed. */
  async rollback(steps = 0): Promise<Frame> {
    const frame = this.frames.at(-1 - steps);
    if (!frame) throw new RangeError(`the stack has ${this.frames.length} frames, none ${steps} below the top`);
    const { owner, profile } = this.ground;
    const above = this.frames.slice(this.frames.length - steps).map(({ index }) => index);
    await this.host().rollbackSandbox.executeWithOptions({ summary: `back to: ${frame.label}` }, [
      { owner, lease: this.ground.lease(), profile, frame, above },
    ]);
    this.frames.length -= steps;
    for (const index of above) this.ground.undo.forget({ kind: 'frame', index });
    return frame;
  }

  /** A frame that was taken by other means than `checkpoint`, on top of the rest. */
  adopt(frame: Frame): void {
    this.ground.undo.register({ kind: 'frame', index: frame.index });
    this.frames.push(frame);
  }

  private host() {
    return hostActivities(this.ground.lease().host, SECONDS);
  }
}
