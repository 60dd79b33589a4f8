import type {
  Author,
  AwaitedPerson,
  ControlReport,
  FrameRecord,
  HandOverPolicy,
  LeftOut,
  Ref,
  SetupRole,
  Suspicion,
  TrialRecord,
  Usage,
} from '../../contract';

/** What a viewer page is given as JSON, by its server or by the file that it is in. */

/** Text as a page first gets it: both its ends. What is between them is asked for when somebody wants it. */
export interface Clip {
  readonly head: string;
  readonly tail: string;
  /** Characters left out between head and tail; 0 when everything is in `head`. */
  readonly hidden: number;
  /** Blob that is the whole text; null for a part of a step, which the step's own blob holds. */
  readonly blob: string | null;
}

/** A line of the list: everything that filters and sorting look at. */
export interface RunLine {
  /** Workflow id, or the hash of a head where no workflow is known. */
  readonly id: string;
  readonly kind: 'rollout' | 'setup';
  readonly instance: string;
  readonly method: string | null;
  readonly pass: number | null;
  /** How it ended (`submitted`, `limit_steps`, ...), or what became of the workflow (`running`, `failed`, `skipped`, ...). */
  readonly status: string;
  readonly resolved: boolean | null;
  readonly student: string | null;
  readonly expert: string | null;
  /** k, student turns that were drawn; null where the policy has no single switch. */
  readonly k: number | null;
  /** First turn of the expert; null when it never acted. */
  readonly expertFrom: number | null;
  /** Why it took over then, where that is not the policy's own draw or count. */
  readonly handOverReason: string | null;
  readonly turns: {
    readonly total: number;
    readonly student: number;
    readonly expert: number;
    readonly refused: number;
  } | null;
  readonly usd: number | null;
  readonly tokens: number | null;
  readonly seconds: number | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number | null;
  /** Why it is not in a training set, as far as is known without reading its chain; null where nothing speaks against it. */
  readonly loss: string | null;
  /** The data set that `loss` is about, and what shows the loss there; null where no data set was chosen. */
  readonly dataset: { readonly name: string; readonly detail: string | null } | null;
  /** What went wrong, in words. */
  readonly note: string | null;
}

export interface RunList {
  readonly title: string;
  readonly runs: readonly RunLine[];
  /** Why the list may lack something. */
  readonly notes: readonly string[];
}

/** What a turn did. */
export type ActionView =
  | { readonly kind: 'command'; readonly text: Clip }
  | {
      readonly kind: 'edit';
      readonly verb: string;
      readonly path: string;
      readonly place: string;
      readonly removed: Clip | null;
      readonly added: Clip | null;
    }
  | { readonly kind: 'submit' }
  | { readonly kind: 'call'; readonly name: string; readonly text: Clip };

export interface RefusedView {
  readonly author: Author | null;
  readonly code: string;
  readonly reply: Clip;
  /** What the model was told. */
  readonly told: Clip;
}

interface EditView {
  readonly path: string;
  readonly before: Ref | null;
  readonly after: Ref | null;
}

export interface TurnView {
  readonly turn: number;
  readonly who: Author | SetupRole;
  readonly profile: string;
  readonly model: string | null;
  /** Who made it, where that was a person. */
  readonly person?: string;
  /** Where an agent of another system did: its name and version. */
  readonly agent?: string;
  /** What the model thought before it spoke, apart from the thought; empty where there is none. */
  readonly reasoning: Clip;
  readonly thought: Clip;
  readonly action: ActionView;
  readonly observation: Clip;
  /** Bytes of the whole observation. */
  readonly bytes: number;
  readonly exitCode: number | null;
  readonly timedOutAfter: number | null;
  readonly elidedBytes: number;
  /** Loss is taken on this turn: in the data set that was chosen, or when the trajectory is trained on as usual. */
  readonly trained: boolean;
  /** The dialect cannot write this action so that it reads back the same. */
  readonly unfaithful: boolean;
  /** What was read although it is not as the format has it. */
  readonly lenient: readonly string[];
  /** Malformed replies before this turn: shown to their author until one could be read, no part of the trajectory. */
  readonly refused: readonly RefusedView[];
  readonly usage: Usage;
  readonly durationMs: number | null;
  /** Times that the action was applied again to rebuild a lost sandbox. */
  readonly redone: number;
  /** The step's own blob. */
  readonly hash: string;
  readonly edit: EditView | null;
  /** Files of the work directory changed without an edit of ours that shows how; null where that is not known. */
  readonly unseen: boolean | null;
  /** Of a set-up: what the loop did around the step, turns that it took back, the turn that took it back. */
  readonly notes: readonly string[];
  readonly undoes: readonly number[];
  readonly undoneBy: number | null;
}

export interface TestView {
  readonly id: string;
  /** As the framework reported it; null for a test that never ran. */
  readonly outcome: string | null;
  readonly passed: boolean;
  /** What it did where its expectation was wrong. */
  readonly controls: readonly ControlView[];
}

export interface ControlView {
  readonly line: number;
  readonly was: string;
  readonly now: string;
  readonly outcome: string | null;
}

export interface TestGroup {
  readonly name: 'FAIL_TO_PASS' | 'PASS_TO_PASS' | 'other tests';
  readonly passed: number;
  readonly total: number;
  /** Those that did not pass first. May hold fewer than `total` where the problem's lists are not at hand. */
  readonly tests: readonly TestView[];
}

export interface GradeView {
  readonly resolved: boolean;
  readonly verdict: string;
  readonly seconds: number;
  readonly groups: readonly TestGroup[];
  readonly detail: string | null;
  readonly controls: ControlReport | null;
  readonly suspicion: readonly Suspicion[];
  readonly leftOut: readonly LeftOut[];
  /** Each run of the tests in a container of its own. */
  readonly runs: readonly { readonly name: string; readonly seconds: number }[];
  readonly log: Clip;
}

/** All that a page shows of one run. */
export interface RunPage {
  readonly line: RunLine;
  readonly live: boolean;
  readonly phase: string | null;
  /** The turn that a person has to make. */
  readonly awaiting?: AwaitedPerson;
  readonly statement: Clip;
  readonly workdir: string;
  readonly policy: HandOverPolicy | null;
  readonly turns: readonly TurnView[];
  /** Malformed replies after the last turn. */
  readonly refused: readonly RefusedView[];
  readonly patch: Clip | null;
  readonly grade: GradeView | null;
  readonly head: string | null;
  readonly trouble: string | null;
  /** Label and address. */
  readonly links: readonly (readonly [string, string])[];
  /** Of a set-up: its snapshot frames, and the memory that was tried. */
  readonly frames: readonly FrameRecord[];
  readonly trials: readonly TrialRecord[];
}

/** Runs that share steps, from `from` to `to` (both included, counted from 1), and where they part. */
export interface ForkNode {
  readonly from: number;
  readonly to: number;
  /** Runs that end or go on here, by id. */
  readonly runs: readonly string[];
  readonly children: readonly ForkNode[];
}

/** Numbers of the events in a workflow's history that a turn left there. */
export interface TurnEvents {
  /** The model call was asked for, and answered. */
  readonly asked: number | null;
  readonly answered: number | null;
  /** The action was done. */
  readonly done: number | null;
}

export interface RunEvents {
  /** Address of the history in the Temporal UI; event numbers are appended to it. */
  readonly history: string | null;
  /** Run id of the execution whose history holds them. */
  readonly runId: string | null;
  readonly turns: Readonly<Record<number, TurnEvents>>;
}
