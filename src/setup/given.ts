import type { Ref, ServiceSpec } from '../contract';

/** What a set-up is about, found out before the loop: one blob that every role is given. */
export interface Given {
  readonly source: string;
  readonly sha256: string;
  readonly version: string | null;
  /** When it was published or committed; absent from what older code has written. */
  readonly released?: string | null;
  readonly licence: string | null;
  readonly notes: readonly string[];
  readonly goal: string;
  readonly base: string;
  readonly workdir: string;
  readonly survey: Ref;
  readonly components: readonly GivenComponent[];
  readonly wanted: readonly ServiceSpec[];
}

interface GivenComponent {
  readonly name: string;
  readonly source: string;
  readonly sha256: string;
  readonly workdir: string;
  readonly survey: Ref;
}
