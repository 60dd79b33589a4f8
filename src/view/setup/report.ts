import type { Look } from '../shown-run';
import { heading } from '../verdict';
import { setupEnding } from './ending';
import { frameTree } from './frame-tree';
import { setupHeader } from './header';
import type { ShownSetup } from './shown-setup';
import { setupStepLines } from './step';
import { trialLines } from './trials';

/** A whole set-up as a person reads it, from top to bottom. With `only`, that one step. */
export function setupText(run: ShownSetup, look: Look, only?: number): string {
  const steps = run.steps.filter(({ turn }) => only === undefined || turn.turn === only);
  const drawn = steps.flatMap((step) => setupStepLines(step, look));
  if (only !== undefined) return drawn.join('\n').trimEnd();
  const whole = run.role === 'agent' ? run.result : undefined;
  return [
    ...setupHeader(run, look),
    '',
    ...(whole && whole.frames.length > 0 ? [heading('frames', look), ...frameTree(whole.frames, look), ''] : []),
    ...drawn,
    ...(whole && whole.units.length > 0 ? [heading('experience', look), ...trialLines(whole.units, look), ''] : []),
    ...setupEnding({ ...run, result: whole }, look),
  ]
    .join('\n')
    .trimEnd();
}
