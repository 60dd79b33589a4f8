import type { VariantKind } from '../../contract';

/**
 * What a failure has to be to be believed when a variant is admitted: `assertion` is an AssertionError or the framework's
 * own mismatch, `anything` includes the other exception that is then raised. Both are at the statement's own lines. `panic` is
 * one that a test of Rust was to end with, where the code has it.
 */
export type Failure = 'assertion' | 'anything' | 'panic';

export interface TestFile {
  readonly path: string;
  readonly text: string;
}

/** One place of a test file where the expectation can be made wrong. Lines count from 1, offsets UTF-16 units. */
export interface Variant {
  /** Digest of path, place and kind: the same for the same files. */
  readonly id: string;
  readonly kind: VariantKind;
  /** Those of the asked ids whose expectation it changes. */
  readonly tests: readonly string[];
  readonly path: string;
  /** First and last line of the statement that has to fail. In a table this is the assertion, not the row. */
  readonly line: number;
  readonly lastLine: number;
  /** Line of what is changed. */
  readonly changedLine: number;
  /** `text.slice(from, to)` is `was`; both are equal where something is only put in. */
  readonly from: number;
  readonly to: number;
  readonly was: string;
  /** What may stand there instead, at several distances. None adds or removes a line. */
  readonly texts: readonly string[];
  readonly fails: Failure;
}

/** What is left out, and why in plain words. */
export interface Without {
  readonly test: string;
  readonly why: string;
}

export interface Found {
  readonly variants: readonly Variant[];
  readonly without: readonly Without[];
}

/** A place as a language reports it, before tests and lines are known. */
export interface Draft {
  readonly kind: VariantKind;
  readonly file: TestFile;
  readonly from: number;
  readonly to: number;
  readonly texts: readonly string[];
  readonly fails: Failure;
  /** Where the statement that has to fail starts and ends. */
  readonly statement: Range;
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A test found by its id, with the places where it can be made wrong; where there are none, `why` says so. */
export interface LocatedTest {
  readonly drafts: readonly Draft[];
  readonly why: string;
}

/** The test files of one language, read once. */
export interface Suite {
  /** Where a test is written, or why that cannot be told. */
  locate(id: string): LocatedTest;
}

/** A test that has no place to change. */
export function none(why: string): LocatedTest {
  return { drafts: [], why };
}
