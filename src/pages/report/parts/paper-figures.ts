/**
 * What the OEC paper reports, to read our figures beside. Shares from 0 to 1. Printed only where they are marked as the
 * paper's: other models, other instances, another judge.
 */

/** Of rollouts that pass their tests, the share that the repetition filter took out (section 4.3). */
export const PAPER_REPETITION = [
  { setting: 'paper, 32B', rate: 0.0363 },
  { setting: 'paper, 7B', rate: 0.0846 },
] as const;

export interface PaperFailures {
  readonly model: string;
  readonly resolved: number;
  readonly submitted: number;
  /** Wrong solution, syntax error, wrong file, misread statement, edge case, other: of the submitted. */
  readonly whenSubmitted: readonly number[];
  /** Tool use, long context, stuck in a loop: of the others. */
  readonly whenNotSubmitted: readonly number[];
}

/** Table 3: unresolved SWE-bench Verified rollouts, judged by GPT-5. */
export const PAPER_FAILURES: readonly PaperFailures[] = [
  row('Student-32B', 31.2, 78.7, [44.7, 7.1, 2.7, 40.8, 0.8, 3.9], [24.6, 17.4, 58.0]),
  row('+ 3000 BC', 36.0, 82.4, [59.7, 6.5, 4.9, 22.8, 1.1, 4.9], [33.9, 16.1, 50.0]),
  row('+ 961 OEC + 961 BC', 39.0, 82.2, [50.4, 6.4, 4.0, 32.0, 1.6, 5.6], [25.9, 22.2, 51.9]),
  row('+ 961 OEC + 2000 BC', 40.0, 81.9, [59.8, 5.7, 2.9, 24.2, 1.6, 5.7], [27.8, 18.5, 53.7]),
  row('no repetition filter', 36.4, 86.4, [58.0, 4.0, 5.8, 27.4, 1.8, 2.9], [37.2, 11.6, 51.2]),
  row('no on-policy masking', 31.8, 82.5, [39.1, 4.3, 3.9, 47.0, 1.4, 4.3], [30.5, 16.9, 52.5]),
];

function row(
  model: string,
  resolved: number,
  submitted: number,
  whenSubmitted: readonly number[],
  whenNotSubmitted: readonly number[],
): PaperFailures {
  const share = (points: number) => Math.round(points * 10) / 1000;
  return {
    model,
    resolved: share(resolved),
    submitted: share(submitted),
    whenSubmitted: whenSubmitted.map(share),
    whenNotSubmitted: whenNotSubmitted.map(share),
  };
}
