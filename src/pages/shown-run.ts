import type { HandOverPolicy, HandOverRecord, Rejected, RolloutResult, SeenStep } from '../contract';

/** One turn as a viewer has it: the step with its bodies, and what lies beside the chain. */
export interface ShownStep extends SeenStep {
  /** Hash of the step's blob. */
  readonly hash: string;
  readonly durationMs?: number;
  /** Times that the action was applied again to rebuild a lost sandbox. */
  readonly redone?: number;
}

export type RunStatus = 'running' | 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timed out' | 'chain';

/** All that is known about a rollout, from the server and from the store. Without a workflow, `status` is `chain`. */
export interface ShownRun {
  readonly id: string | null;
  readonly status: RunStatus;
  /** What a running one is doing: `Running`, `Paused`, `Grading`, ... */
  readonly phase?: string;
  readonly problem: string;
  readonly student?: string;
  readonly expert?: string;
  /** What was asked for, and what was drawn and happened. */
  readonly policy?: HandOverPolicy;
  readonly handOver?: HandOverRecord;
  readonly startedAt?: Date;
  readonly endedAt?: Date;
  readonly spent?: { readonly usd: number; readonly tokens: number };
  readonly steps: readonly ShownStep[];
  /** Replies to a turn that was never made, since none could be read. */
  readonly refused?: readonly Rejected[];
  readonly result?: RolloutResult;
  /** Text of the final patch; undefined where the store here lacks it. */
  readonly patch?: string;
  /** Why it failed, or why something cannot be shown. */
  readonly trouble?: string;
  readonly head?: string;
  /** Where to look further: label and address or path. */
  readonly links: readonly (readonly [string, string])[];
}

export interface Look {
  readonly width: number;
  readonly coloured: boolean;
  /** Everything, nothing folded. */
  readonly full: boolean;
}
