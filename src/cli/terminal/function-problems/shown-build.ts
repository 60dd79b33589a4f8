import type {
  FunctionInstance,
  FunctionProblemsProgress,
  FunctionProblemsResult,
  RejectedFunction,
} from '../../../contract';
import type { RunStatus } from '../../../pages/shown-run';

/** A build of function problems, as `show` prints it. */
export interface ShownBuild {
  readonly id: string;
  readonly status: RunStatus;
  /** Source or image that it is made from. */
  readonly from: string;
  readonly startedAt: Date;
  readonly endedAt: Date | undefined;
  readonly progress: FunctionProblemsProgress | undefined;
  readonly result: FunctionProblemsResult | undefined;
  /** Sorted by id; empty before it has ended. */
  readonly instances: readonly FunctionInstance[];
  readonly rejected: readonly RejectedFunction[];
  readonly trouble: string | undefined;
  readonly links: readonly (readonly [string, string])[];
}
