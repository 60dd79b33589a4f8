import type { CaseOutcome, ObservedCall } from '../../contract';

export interface Coverage {
  readonly lines: { readonly total: number; readonly covered: number; readonly missed: readonly number[] };
  readonly branches: {
    readonly total: number;
    readonly covered: number;
    readonly missed: readonly (readonly [number, number])[];
  };
}

/** What came of running a harness once, on whatever stood where the function belongs. */
export interface HarnessRun {
  /** File that the subject's module was imported from; null when it never was. */
  readonly file: string | null;
  /** The harness or the subject could not be imported, so that no case ran. */
  readonly unusable: {
    readonly stage: 'subject' | 'harness';
    readonly type: string;
    readonly message: string;
    readonly trace: string;
  } | null;
  /** One for each case that was asked for, in that order; `missing` where none came. */
  readonly outcomes: readonly CaseOutcome[];
  readonly calls: readonly ObservedCall[];
  readonly coverage: Coverage | null;
  /** Why what came cannot be taken for a whole run; null when it is one. */
  readonly fault: string | null;
  /** What the code printed, at its end. */
  readonly printed: string;
  readonly seconds: number;
}
