import type { Python, Span } from '../syntax';
import type { ModuleTable } from './modules';
import type { Program } from './program';
import type { Slot } from './slot';
import type { FunctionValue, Site } from './values';

export type DefinitionKind = 'module' | 'function' | 'class' | 'lambda';

/** Where a name of the graph is defined. */
export interface Definition {
  readonly name: string;
  readonly kind: DefinitionKind;
  readonly file: string;
  readonly line: number;
  readonly endLine: number;
}

/** What reading the modules gathers, beside the constraints. */
export interface Analysis {
  readonly program: Program;
  readonly modules: ModuleTable;
  readonly python: Python;
  readonly definitions: Map<string, Definition>;
  readonly functions: FunctionValue[];
  /** Every call that is written down, with what is called. */
  readonly calls: { readonly site: Site; readonly callee: Slot }[];
  /** Bodies of functions, read when all that stands around them was. */
  readonly bodies: (() => void)[];
  /** Slots of containers that were made right there, so that no other name can mean them yet. */
  readonly allocated: WeakSet<Slot>;
  /** Keys of dict literals, where all are known. */
  readonly shapes: WeakMap<Slot, readonly string[]>;
  /** Any function may be called from outside, with instances of its class and with its defaults. */
  readonly open: boolean;
}

export function define(analysis: Analysis, name: string, kind: DefinitionKind, file: string, span: Span): void {
  if (!analysis.definitions.has(name))
    analysis.definitions.set(name, { name, kind, file, line: span.line, endLine: span.endLine });
}
