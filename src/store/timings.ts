import type { Timing } from '../contract/step';

/**
 * What steps took, beside the chain: two runs that did the same have the same chain whatever the machine's mood. A step may
 * be recorded twice after a retry or a rebuilt sandbox; the last one holds.
 */
export interface Timings {
  record(run: string, timing: Timing): Promise<void>;
  /** By turn; empty for an unknown run. */
  of(run: string): Promise<Map<number, Timing>>;
}
