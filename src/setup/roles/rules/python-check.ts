import { quote } from '../../../rollout/shell';
import { guestProgram } from '../../guest';

/** One thing that a Python environment must have. */
export type PythonItem =
  | readonly ['distribution', name: string, modules: readonly string[], spec: string, marker: string]
  | readonly ['module', name: string]
  | readonly ['script', name: string, target: string]
  | readonly ['python', spec: string];

/**
 * Runs in the interpreter that is examined. Prints a line for each item that is not as declared, and ends with 1 if there
 * is one. What is importable counts, whoever installed it, as long as its version is one that the declaration allows.
 */
const CHECK = guestProgram('check.py');

/** The command that checks some items with one interpreter, from the work directory. */
export function pythonCheck(workdir: string, interpreter: string, items: readonly PythonItem[]): string {
  return `cd ${quote(workdir)} && ${quote(interpreter)} -c ${quote(CHECK)} ${quote(JSON.stringify(items))}`;
}
