import { quote } from '../../../rollout/shell';
import { guestProgram } from '../../guest';

/** One thing that a Node.js environment must have. */
export type NodeItem =
  | readonly ['package', name: string, spec: string]
  | readonly ['tool', name: string, spec: string]
  | readonly ['program', name: string, target: string]
  | readonly ['main', name: string, target: string]
  | readonly ['node', spec: string];

/**
 * Finds packages as Node.js does, from the work directory upwards, then where the system keeps its own. Prints a line for
 * each item that is not as declared; ends with 1 if there is one. A package brings its own dependencies, so those count too.
 */
const CHECK = guestProgram('check.cjs');

/** The command that checks some items from the work directory. Yarn's Plug'n'Play keeps no folder that could be looked at. */
export function nodeCheck(workdir: string, items: readonly NodeItem[]): string {
  return `cd ${quote(workdir)} && { [ -e .pnp.cjs ] || node -e ${quote(CHECK)} ${quote(JSON.stringify(items))}; }`;
}
