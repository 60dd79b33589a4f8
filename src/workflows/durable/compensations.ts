import { ApplicationFailure, CancellationScope } from '@temporalio/workflow';
import { isHostLost, messageOf } from './failures';

/** One thing to undo, as data, so that continue-as-new and a reset carry it. */
export interface Compensation {
  readonly kind: string;
  readonly args: unknown;
}

/**
 * Undo as a stack of records. Register before the action, because an action may have happened although its answer was
 * lost; each undo is therefore idempotent. `run` goes in reverse order, also when the workflow was cancelled, and goes
 * on past an undo that fails. What was on a host that is lost went with it, or is its janitor's when it comes back.
 */
export class Compensations {
  private readonly stack: Compensation[] = [];

  constructor(private readonly undo: Record<string, (args: never) => Promise<unknown>>) {}

  register(kind: string, args: unknown): void {
    this.stack.push({ kind, args });
  }

  async run(): Promise<void> {
    const failed: string[] = [];
    await CancellationScope.nonCancellable(async () => {
      for (let next = this.stack.pop(); next; next = this.stack.pop()) {
        const undo = this.undo[next.kind];
        await undo?.(next.args as never).catch((error: unknown) => {
          if (!isHostLost(error)) failed.push(`${next?.kind}: ${messageOf(error)}`);
        });
      }
    });
    if (failed.length > 0)
      throw ApplicationFailure.create({ type: 'RollbackIncomplete', message: failed.join('; '), nonRetryable: true });
  }
}
