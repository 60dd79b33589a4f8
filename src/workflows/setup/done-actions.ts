import type { Frame, Ref, ServiceSpec } from '../../contract';

/** A command as the journal in the sandbox knows it, and how it ended. */
export interface DoneCommand {
  readonly turn: number;
  readonly job: string;
  readonly command: Ref;
  readonly exitCode: number | null;
}

/** A service that was started and came up. */
interface DoneService {
  readonly turn: number;
  readonly service: ServiceSpec;
}

export type DoneAction = DoneCommand | DoneService;

/** What every frame holds. */
const BELOW_ALL = -1;

/** What was done to a sandbox and stands, so that it can be done again in its order: on a frame, or on a fresh sandbox elsewhere. */
export class DoneActions {
  private done: (DoneAction & { readonly frame: number })[] = [];

  add(action: DoneAction, after: Frame): void {
    this.done.push({ ...action, frame: after.index });
  }

  since(frame: Frame | undefined): readonly DoneAction[] {
    return this.done.filter((each) => each.frame === frame?.index);
  }

  /** What the frame holds; all of it where there is none. */
  before(frame: Frame | undefined): readonly DoneAction[] {
    return this.done.filter((each) => each.frame !== frame?.index);
  }

  /** Forgets what came after a frame, and says which turns that were. */
  takeBack(to: Frame): number[] {
    const undone = this.done.filter(({ frame }) => frame >= to.index);
    this.done = this.done.filter(({ frame }) => frame < to.index);
    return [...new Set(undone.map(({ turn }) => turn))].sort((a, b) => a - b);
  }

  /** What a frame held is in the only one that there is now, and what came after it comes after that. */
  settle(held: Frame | undefined, now: Frame): void {
    this.done = this.done.map((each) => ({ ...each, frame: each.frame === held?.index ? now.index : BELOW_ALL }));
  }
}
