import type { Frame, FrameRecord } from '../../contract';

/**
 * What is told of every frame that a set-up took, those that it rolled back too. They are numbered as they came: numbers of
 * frames are used again after a rollback.
 */
export class FrameRecords {
  readonly all: FrameRecord[] = [];
  /** Records of the frames on the stack, from the bottom. */
  private readonly standing: number[] = [];

  /** On top of what stands. */
  push({ label, mib = 0, seconds = 0 }: Frame, turn: number, rules: readonly string[]): void {
    const index = this.all.length;
    const parent = this.standing.at(-1) ?? null;
    this.all.push({ index, parent, label, turn, mib, seconds, rules: [...rules], droppedAt: null });
    this.standing.push(index);
  }

  /** The newest so many no longer stand. */
  drop(frames: number, turn: number): void {
    for (const dropped of this.standing.splice(this.standing.length - frames)) this.all[dropped]!.droppedAt = turn;
  }

  /** One frame stands for all that went with their host. */
  collapse(): void {
    this.standing.length = 1;
  }
}
