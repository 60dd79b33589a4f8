import type { AttemptRecord, Ref, Subject } from '../../contract';
import type { Measurement, Validation } from '../../environments/harness/measure';
import type { RecordedCall } from '../../environments/harness/protocol';
import type { PreparedFunction } from '../../problems/prepared-function';
import type { BlobStore } from '../../store/blobs';

/** A function as the activities of its own workflow find it: a blob. */
export interface KeptFunction extends PreparedFunction {
  readonly subject: Subject;
  /** The file that holds it. */
  readonly text: Ref;
}

/** Calls by dotted name, and how the run of the tests ended: a blob. */
export interface Recorded {
  readonly calls: Readonly<Record<string, readonly RecordedCall[]>>;
  readonly note: string;
}

/** A harness and all that came of running it: a blob. */
export interface HarnessReport {
  readonly record: AttemptRecord;
  /** Why it is not admitted. */
  readonly reasons: readonly string[];
  /** Null where nothing could be run. */
  readonly validation: Validation | null;
  readonly measured: Measurement | null;
}

/** A harness as its author gave it, or why there is none. */
export interface AuthoredHarness {
  readonly harness: Ref | null;
  readonly refusal: string;
  /** What was said so far, as a blob: a model goes on from there. */
  readonly conversation: Ref | null;
  /** Nothing would come of asking again. */
  readonly final: boolean;
}

/** What a workflow needs to know of a harness that was run; the whole of it is the report. */
export interface HarnessFinding {
  readonly valid: boolean;
  readonly admitted: boolean;
  /** Orders findings that are alike otherwise: mutants killed and branches covered. */
  readonly score: number;
  /** A `HarnessReport`. */
  readonly report: Ref;
}

/** JSON blobs, which is what these activities hand each other. */
export function jsonBlobs(blobs: BlobStore) {
  return {
    read: async <T>(ref: Ref): Promise<T> => JSON.parse((await blobs.get(ref.sha256)).toString('utf8')) as T,
    keep: (value: unknown): Promise<Ref> => blobs.put(JSON.stringify(value)),
  };
}
