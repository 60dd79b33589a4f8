import type { TrialRecord } from '../../contract';
import { wrapWords } from '../columns';
import { ink } from '../ink';
import { safeLine } from '../safe-text';
import type { Look } from '../shown-run';
import { commandLines, indented, inside, labelled } from './output';

/** What became of each unit that was tried: the decisive lines before and after, and whether it stayed. */
export function trialLines(trials: readonly TrialRecord[], look: Look): string[] {
  const paint = ink(look.coloured);
  const inner = inside(look);
  return trials.flatMap(({ turn, unit, command, before, after, outcome, kept }) => {
    const colour = outcome === 'success' ? paint.good : outcome === 'failure' ? paint.bad : paint.notice;
    const head = `turn ${turn} · ${safeLine(unit)} · ${outcome} · ${kept ? 'kept' : 'rolled back'}`;
    return [
      ...wrapWords([head], look.width).map(colour),
      ...indented([
        ...commandLines(command, inner),
        ...(before === '' ? [] : labelled('before', before, inner)),
        ...(before === '' && after === '' ? [] : labelled('after', after || 'the error is gone', inner)),
      ]),
    ];
  });
}
