import type { SampledFigures } from '../contract';
import type { Sample } from './model-calls';
import type { TrajectoryCall } from './row';

const NONE: SampledFigures = {
  rows: 0,
  tokenised: {},
  samples: 0,
  breaks: 0,
  answers: 0,
  compared: 0,
  drifted: 0,
  dropped: {},
};

/** Of a row that was written with the tokens of `calls`. */
export function figuresOf(
  samples: readonly Sample[],
  calls: readonly TrajectoryCall[],
  drift: { readonly compared: number; readonly drifted: number } = { compared: 0, drifted: 0 },
): SampledFigures {
  return {
    ...NONE,
    rows: 1,
    samples: samples.length,
    breaks: samples.length - 1,
    answers: samples.reduce((sum, { answers }) => sum + answers.length, 0),
    ...drift,
    dropped: droppedIn(calls),
  };
}

/** Of a row that was tokenised from its text. */
export function tokenisedFigures(why: string, calls: readonly TrajectoryCall[]): SampledFigures {
  return { ...NONE, tokenised: { [why]: 1 }, dropped: droppedIn(calls) };
}

export function sumOf(a: SampledFigures = NONE, b: SampledFigures): SampledFigures {
  return {
    rows: a.rows + b.rows,
    tokenised: tally(a.tokenised, b.tokenised),
    samples: a.samples + b.samples,
    breaks: a.breaks + b.breaks,
    answers: a.answers + b.answers,
    compared: a.compared + b.compared,
    drifted: a.drifted + b.drifted,
    dropped: tally(a.dropped, b.dropped),
  };
}

/** By what was dropped; the lengths that did not fit are left out of its name. */
function droppedIn(calls: readonly TrajectoryCall[]): Record<string, number> {
  const names = calls.flatMap(({ kept }) => (kept?.dropped ?? []).map((sentence) => sentence.split(':')[0]!));
  return names.reduce((counts, name) => tally(counts, { [name]: 1 }), {});
}

function tally(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): Record<string, number> {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  return Object.fromEntries(names.map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]));
}
