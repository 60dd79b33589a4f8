import type { Look } from '../pages/shown-run';
import { wantsColour } from './terminal/ink';

/** How standard output is written to: as wide as the terminal, 80 columns into a file. */
export function look(full = false): Look {
  return {
    width: Math.min(120, Math.max(40, process.stdout.columns ?? 80)),
    coloured: wantsColour(process.stdout, process.env),
    full,
  };
}
