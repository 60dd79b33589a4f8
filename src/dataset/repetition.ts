import type { Action, DatasetFilters, SeenStep } from '../contract';
import { actionLine } from '../rollout/summary';
import { isFileRead } from './file-reading';

/** Turns in a row, both ends included, of which all do the same kind of thing. */
export interface Run {
  readonly first: number;
  readonly last: number;
  readonly length: number;
  /** The first of them. */
  readonly action: Action;
}

export interface Repetition {
  readonly reason: 'identical_actions' | 'endless_file_reading';
  readonly run: Run;
  /** For people: which turns, and what they did. */
  readonly detail: string;
}

/** What of a step is looked at. */
export type Done = Pick<SeenStep, 'observation'> & { readonly turn: Pick<SeenStep['turn'], 'turn' | 'action'> };

/**
 * The paper's filter of repetitive trajectories (OEC, section 3.3): an identical action, arguments included, three times in a
 * row, or a file-reading command 20 times or more. Whoever made the turns: what is only history of a trained turn is learned
 * from as well. A limit of 0 takes that half of the filter off. Undefined when nothing repeats itself.
 */
export function repetitionOf(
  steps: readonly Done[],
  limits: Pick<DatasetFilters, 'identicalActions' | 'fileReads'> = { identicalActions: 3, fileReads: 20 },
): Repetition | undefined {
  const same = longestIdentical(steps);
  if (same && limits.identicalActions > 0 && same.length >= limits.identicalActions) {
    const detail = `${turnsOf(same)}: the same action ${same.length} times in a row: ${actionLine(same.action)}`;
    return { reason: 'identical_actions', run: same, detail };
  }
  const reading = longestReading(steps);
  if (reading && limits.fileReads > 0 && reading.length >= limits.fileReads) {
    const detail = `${turnsOf(reading)}: files read ${reading.length} times in a row, from: ${actionLine(reading.action)}`;
    return { reason: 'endless_file_reading', run: reading, detail };
  }
  return undefined;
}

/** The longest row of identical actions, of one turn at least; the earliest where several are as long. */
export function longestIdentical(steps: readonly Done[]): Run | undefined {
  let before: string | undefined;
  let group = 0;
  return longest(steps, ({ turn }) => {
    const key = canonical(turn.action);
    if (key !== before) group += 1;
    before = key;
    return group;
  });
}

/** The longest row of turns that only read files. */
function longestReading(steps: readonly Done[]): Run | undefined {
  return longest(steps, ({ turn, observation }) => isFileRead(turn.action, observation));
}

/** The longest row of steps for which `kind` gives one and the same value; `false` is no kind. */
function longest(steps: readonly Done[], kind: (step: Done) => number | boolean): Run | undefined {
  let best: Run | undefined;
  let run: (Run & { readonly kind: number | boolean }) | undefined;
  for (const step of steps) {
    const { turn, action } = step.turn;
    const own = kind(step);
    if (own === false) run = undefined;
    else if (run?.kind === own) run = { ...run, last: turn, length: run.length + 1 };
    else run = { kind: own, first: turn, last: turn, length: 1, action };
    if (run && run.length > (best?.length ?? 0))
      best = { first: run.first, last: run.last, length: run.length, action: run.action };
  }
  return best;
}

function turnsOf({ first, last }: Run): string {
  return first === last ? `turn ${first}` : `turns ${first}–${last}`;
}

/** Arguments in the order of their names: the order in which a model wrote them says nothing. */
function canonical({ tool, args }: Action): string {
  return JSON.stringify([tool, Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1))]);
}
