import type { Rejected, RepoSetupResult, SetupProgress, SetupRole, SetupStep } from '../contract';
import type { RunStatus } from './shown-run';

/** One step of a role's chain as a viewer has it: with its output, and whether it still stands. */
export interface ShownSetupStep extends SetupStep {
  /** Hash of the step's blob. */
  readonly hash: string;
  readonly output: string;
  /** Turn of the rollback that took it back; null while it stands. */
  readonly undoneBy: number | null;
}

/** All that is known about a set-up, from the server and from the store. Without a workflow, `status` is `chain`. */
export interface ShownSetup {
  readonly id: string | null;
  readonly status: RunStatus;
  /** What a running one is doing: `Setting up`, `Judging`, `Rebuilding`, ... */
  readonly phase?: string;
  readonly source: string;
  /** Whose chain the steps are. */
  readonly role: SetupRole;
  /** Profile or policy of the agent. */
  readonly agent?: string;
  readonly startedAt?: Date;
  readonly endedAt?: Date;
  readonly steps: readonly ShownSetupStep[];
  /** Replies to a turn that was never made, since none could be read. */
  readonly refused?: readonly Rejected[];
  readonly progress?: SetupProgress;
  readonly result?: RepoSetupResult;
  /** Why it failed, or why something cannot be shown. */
  readonly trouble?: string;
  /** Head of the chain that is shown. */
  readonly head?: string;
  /** Where to look further: label and address or path. */
  readonly links: readonly (readonly [string, string])[];
}
