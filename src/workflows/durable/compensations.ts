import { ApplicationFailure, CancellationScope } from '@temporalio/workflow';
import type { Compensation } from '../../contract';
import { isHostLost, messageOf } from './failures';

/**
 * What a run has made and must undo, as data that continue-as-new and a reset carry. A thing is registered before it is
 * made, because it may be there although the answer was lost; undoing it is therefore idempotent. `run` undoes in reverse
 * order, in a cancelled workflow too.
 */
export class Compensations {
  constructor(
    private readonly records: Compensation[],
    /** Undoes records one after another in the order given, where the run's things are. */
    private readonly undo: (records: Compensation[]) => Promise<void>,
  ) {}

  /** Before it is made. What is made a second time is undone once. */
  register(record: Compensation): void {
    if (!this.records.some((each) => isSame(each, record))) this.records.push(record);
  }

  /** It is gone already, or it is what the run was for: it stays. */
  forget(record: Compensation): void {
    const at = this.records.findIndex((each) => isSame(each, record));
    if (at >= 0) this.records.splice(at, 1);
  }

  /** Undoes everything. What was on a host that is lost went with it, or is its janitor's when it comes back. */
  async run(): Promise<void> {
    const records = this.records.splice(0).reverse();
    if (records.length === 0) return;
    await CancellationScope.nonCancellable(() => this.undo(records)).catch((error: unknown) => {
      if (isHostLost(error)) return;
      const message = `what the run made could not be removed: ${messageOf(error)}`;
      throw ApplicationFailure.create({ type: 'RollbackIncomplete', message, nonRetryable: true });
    });
  }
}

function isSame(one: Compensation, other: Compensation): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
