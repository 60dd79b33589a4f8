import type { CheckpointInput } from '../../activities/sandbox';
import type { Frame, Lease, SandboxProfile } from '../../contract';
import { hostActivities } from './activities';

/** A checkpoint or rollback moves gigabytes at worst. */
const SECONDS = 1_800;

/**
 * The LIFO stack of frames of one sandbox. `frames` is plain data that the workflow keeps, so continue-as-new and a reset
 * carry it; the images behind it belong to the run and go with it.
 */
export class SnapshotStack {
  constructor(
    private readonly owner: CheckpointInput['owner'],
    readonly frames: Frame[],
    private readonly lease: () => Lease,
    private readonly profile: SandboxProfile,
    private readonly services: () => readonly string[] = () => [],
  ) {}

  get top(): Frame | undefined {
    return this.frames.at(-1);
  }

  /** Of the frame that is pushed next. */
  get nextIndex(): number {
    return (this.top?.index ?? -1) + 1;
  }

  /** Pushes what the sandbox is now. */
  async checkpoint(label: string, services = this.services()): Promise<Frame> {
    return this.push(label, this.nextIndex, false, services);
  }

  /** Back to the frame `steps` below the top (0: the top itself). It stays on the stack; those above it are removed. */
  async rollback(steps = 0): Promise<Frame> {
    const frame = this.frames.at(-1 - steps);
    if (!frame) throw new RangeError(`the stack has ${this.frames.length} frames, none ${steps} below the top`);
    const above = this.frames.slice(this.frames.length - steps).map(({ index }) => index);
    const lease = this.lease();
    await this.host().rollbackSandbox.executeWithOptions({ summary: `back to: ${frame.label}` }, [
      { owner: this.owner, lease, profile: this.profile, frame, above },
    ]);
    this.frames.length -= steps;
    return frame;
  }

  /** One frame of one layer, of what the sandbox is now, in place of all there are. */
  async squash(label: string): Promise<Frame> {
    const below = this.frames.map(({ index }) => index);
    const frame = await this.push(label, this.nextIndex, true, this.services());
    await this.host().dropFrames.executeWithOptions({ summary: `${below.length} frames become one` }, [
      { owner: this.owner, indexes: below },
    ]);
    this.frames.splice(0, this.frames.length, frame);
    return frame;
  }

  private async push(label: string, index: number, squash: boolean, services: readonly string[]): Promise<Frame> {
    const frame = await this.host().checkpointSandbox.executeWithOptions({ summary: `frame ${index}: ${label}` }, [
      { owner: this.owner, lease: this.lease(), index, label, services, squash },
    ]);
    this.frames.push(frame);
    return frame;
  }

  private host() {
    return hostActivities(this.lease().host, SECONDS);
  }
}
