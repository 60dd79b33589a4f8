import type { ErrorCode } from '../../contract';
import { areFramesLost, codeOf, isCancellation, messageOf } from '../durable/failures';
import type { Steering } from '../durable/steering';
import { RoleEnded } from './roles';

/** Sandboxes that one set-up may lose before something other than bad luck must be the reason. */
const MAX_RECOVERIES = 10;

export class SandboxGone extends Error {
  override readonly name = 'SandboxGone';
  constructor(
    message: string,
    readonly status: 'sandbox_lost' | 'tampered' = 'sandbox_lost',
  ) {
    super(message);
  }
}

/** What a set-up does about the loss of its sandbox, of its host or of the engine: make it again, or wait for a person. */
export class SandboxLosses {
  private recoveries = 0;

  constructor(
    private readonly steering: Steering,
    private readonly again: (anew: boolean) => Promise<void>,
    /** Throws where the host of the sandbox is known to be gone. */
    private readonly assertThere: () => void = () => {},
  ) {}

  /** Does `work`, making the sandbox again when it or its host was lost, and waiting where the engine is away. */
  async surviving<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        this.assertThere();
        return await work();
      } catch (error) {
        if (isCancellation(error) || error instanceof RoleEnded || codeOf(error) === 'InvalidInput') throw error;
        if (codeOf(error) === 'Tampered') throw new SandboxGone(messageOf(error), 'tampered');
        if (codeOf(error) === 'SandboxLost' || areFramesLost(error)) {
          if (++this.recoveries > MAX_RECOVERIES) throw new SandboxGone(messageOf(error));
          await this.makeAgain(areFramesLost(error));
        } else await this.steering.park(messageOf(error));
        this.assertWanted();
      }
    }
  }

  /** Losses that a command was to blame for say nothing of the others. */
  blame(losses: number): void {
    this.recoveries -= losses;
  }

  /** From its newest frame, unless that turns out to be gone as well. */
  private async makeAgain(anew: boolean): Promise<void> {
    let framesLost = anew;
    const attempt = async () => {
      try {
        await this.again(framesLost);
      } catch (error) {
        if (framesLost || !areFramesLost(error)) throw error;
        framesLost = true;
        await this.again(true);
      }
    };
    // An image that was pruned can be had again: no reason to throw away what was recorded.
    await this.patiently('make the sandbox again', attempt, ['InvalidInput']);
  }

  /** Tries until it is done: what is in the way is a person's to remove. */
  async patiently<T>(
    what: string,
    attempt: () => Promise<T>,
    final: readonly ErrorCode[] = ['InvalidInput', 'NotFound'],
  ): Promise<T> {
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        const code = codeOf(error);
        if (isCancellation(error) || (code && final.includes(code))) throw error;
        if (code === 'Tampered') throw new SandboxGone(messageOf(error), 'tampered');
        if (code === 'SandboxLost' && ++this.recoveries <= MAX_RECOVERIES) continue;
        await this.steering.park(`cannot ${what}: ${messageOf(error)}`);
        this.assertWanted();
      }
    }
  }

  private assertWanted(): void {
    if (this.steering.abandoned) throw new SandboxGone('abandoned by a person');
  }
}
