import type { ReportMaterial } from '../material';

/** What the words of the report mean, each where what it speaks of is in the report. */
export function definitions({
  rows,
  dataset,
  covariateShift,
  failureAnalysis,
  setups,
  problems,
}: ReportMaterial): [term: string, meaning: string][] {
  const rollouts: [string, string][] = [
    [
      'Rollout',
      'One trajectory of one problem: turns of a student, an expert, or a student and then an expert, in one container.',
    ],
    ['Turn', 'One accepted action. A reply that could not be read is asked for again and is no turn; its cost counts.'],
    [
      'Resolved',
      'All tests that the fix has to make pass, and all that passed before, pass in a fresh container without a network, with the problem’s own test files restored. A rollout without a verdict is not resolved.',
    ],
    [
      '95 % of “resolved”',
      'Percentiles of 2,000 resamples of instances, because rollouts of one instance are alike; never narrower than Wilson’s interval.',
    ],
    ['Handed over', 'The expert made at least one turn.'],
  ];
  const set: [string, string][] = [
    [
      'Kept',
      'In the files of the training set: passed, not repetitive, not over the length, and taken by caps, duplicates and mixture.',
    ],
    [
      'Trained turn',
      'An assistant turn with a loss on it. Turns of a student before the hand-over are context only, unless the input says otherwise.',
    ],
    ['Seconds', 'From start to end of a workflow by the server’s clock, waiting and pauses included.'],
  ];
  const shift: [string, string][] = [
    [
      'Fréchet distance',
      '‖μ₁ − μ₂‖² + tr(Σ₁ + Σ₂ − 2(Σ₁^½ Σ₂ Σ₁^½)^½) of two Gaussians, squared as in FID; exact in the low rank that few rollouts have.',
    ],
    ['KL', 'Of the student’s Gaussian from the expert’s, both covariances with the stated ridge on their diagonals.'],
    [
      'Baseline',
      'The same distance between disjoint halves of the expert’s rollouts: what the number of rollouts alone makes.',
    ],
    [
      'p by permutation',
      '(1 + relabellings at least as far apart) / (1 + relabellings); whole rollouts are relabelled.',
    ],
  ];
  const judged: [string, string][] = [
    ['Bucket', 'Rollouts whose drawn k lies between two bounds, both included. The paper’s: 0–6, 7–15, 16–30.'],
    ['Wilson', 'Score interval of one proportion, 95 %; it takes rollouts as independent.'],
  ];
  const environments: [string, string][] = [
    ['Not guilty', 'No charge of the prosecutor was upheld. An outage or a step cap is an error, never a pass.'],
    [
      'Lift',
      'Share of sources found not guilty with memory, less the share without. Shown only where the interval leaves out 0 and p < 0.05.',
    ],
  ];
  const built: [string, string][] = [
    [
      'Valid harness',
      'Its cases give the same each time on the function itself, and at least one of them reaches the function.',
    ],
    ['Mutation score', 'Share of small wrong changes to the function that some case tells from it.'],
  ];
  return [
    ...(rows.length > 0 || dataset ? rollouts : []),
    ...(dataset ? set.slice(0, 2) : []),
    ...(rows.length > 0 ? set.slice(2) : []),
    ...(covariateShift ? shift : []),
    ...(failureAnalysis ? judged : []),
    ...(setups.length > 0 ? environments : []),
    ...(problems.length > 0 ? built : []),
  ];
}
