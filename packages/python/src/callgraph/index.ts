import { type Expression, eachStatement, type ModuleSyntax, type Python, type Unresolved } from '../syntax';
import { callBuiltin } from './builtins';
import { evaluate } from './expressions';
import type { Analysis, Definition } from './frame';
import { readModule } from './imports';
import { callExternal } from './library';
import { type ModuleInput, ModuleTable } from './modules';
import { Program } from './program';
import { runBlock } from './statements';
import { callTypeMethod } from './type-methods';
import type { fieldOf, Site, Slot } from './values';

export type { Definition, DefinitionKind } from './frame';
export { type ModuleInput, moduleNameOf } from './modules';

export interface CallGraphOptions {
  /**
   * Names of the modules where the program starts. Only what they import is read, and only calls that the program
   * makes count. Undefined: every module is read, and anything may be called from outside, as in a library.
   */
  readonly entries?: readonly string[];
  /** Values that one name or attribute may hold; those that come later are dropped and said in `unresolved`. */
  readonly maxValues?: number;
}

/**
 * Who calls whom. Names are those of PyCG's format: `pkg.mod` for a module's own statements, `pkg.mod.C.m`,
 * `pkg.mod.f.inner`, `pkg.mod.f.<lambda1>`; `<builtin>.print`, `<**PyStr**>.join`; dotted names for what is defined
 * elsewhere.
 */
export interface CallGraph {
  /** Every module, function and lambda that was read is a key, and every callee. */
  readonly edges: ReadonlyMap<string, ReadonlySet<string>>;
  readonly definitions: ReadonlyMap<string, Definition>;
  /** Calls of which nothing could be told, and places where more values met than are kept. */
  readonly unresolved: readonly Unresolved[];
}

/** Kept apart up to so many; of programs of more lines than `ALL_OF_IT` the fewer, so that memory stays bounded. */
const MAX_VALUES = 48;
const MIN_VALUES = 8;
const ALL_OF_IT = 200_000;

/**
 * The call graph of a program, by inclusion constraints over all of its assignments: flow-sensitive in the names of a
 * scope, insensitive to flow in what objects hold and to context, but for parameters that are returned as they came.
 * The same modules in the same order give the same graph.
 */
export function callGraphOf(python: Python, inputs: readonly ModuleInput[], options: CallGraphOptions = {}): CallGraph {
  const analysis = begun(python, inputs, options);
  const { program, modules } = analysis;
  for (const module of entriesOf(modules, options.entries)) {
    readModule({ analysis }, module);
    readBodies(analysis);
  }
  const { solver, classes } = program;
  if (analysis.open) openUp(analysis);
  solver.settle();
  if (classes.linearizeRest()) solver.settle();
  if (!analysis.open) {
    callTheUncalled(analysis);
    solver.settle();
  }
  return resultOf(analysis);
}

function begun(
  python: Python,
  inputs: readonly ModuleInput[],
  { entries, maxValues = valuesFor(inputs) }: CallGraphOptions,
): Analysis {
  return {
    interpreter: { evaluate, run: runBlock },
    program: new Program(
      { builtin: callBuiltin, external: callExternal, typeMethod: callTypeMethod },
      maxValues,
      patchedNames(inputs.map(({ syntax }) => syntax)),
    ),
    modules: new ModuleTable(inputs),
    python,
    definitions: new Map(),
    functions: [],
    calls: [],
    bodies: [],
    allocated: new WeakSet(),
    shapes: new WeakMap(),
    open: entries === undefined,
  };
}

function valuesFor(inputs: readonly ModuleInput[]): number {
  const lines = inputs.reduce((sum, { syntax }) => sum + syntax.lineStarts.length, 0);
  return Math.max(MIN_VALUES, Math.round(MAX_VALUES * Math.min(1, ALL_OF_IT / Math.max(1, lines))));
}

function entriesOf(modules: ModuleTable, entries: readonly string[] | undefined) {
  if (!entries) return modules.all();
  return entries.flatMap((name) => modules.get(name) ?? []);
}

function readBodies({ bodies }: Analysis): void {
  // Bodies add the bodies of what they define.
  for (let at = 0; at < bodies.length; at++) bodies[at]!();
  bodies.length = 0;
}

/** In a library anybody may call a method with an instance of its class, and leave defaults out. */
function openUp({ functions, program }: Analysis): void {
  const { solver } = program;
  for (const fn of functions) {
    if (fn.owner && fn.positional[0]) {
      const isOnClass = isClassMethod(fn.owner.fields.get(shortName(fn.name))?.values[0]);
      if (isOnClass !== undefined) solver.add(fn.positional[0].slot, isOnClass ? fn.owner : fn.owner.instance);
    }
    for (const each of fn.parameters) if (each.default) solver.flow(each.default, each.slot);
  }
}

/** In a program, that is only for what it never calls. */
function callTheUncalled(analysis: Analysis): void {
  const uncalled = analysis.functions.filter(({ called }) => !called);
  openUp({ ...analysis, functions: uncalled });
}

/** Undefined for a static method. */
function isClassMethod(member: ReturnType<typeof fieldOf>['values'][number] | undefined): boolean | undefined {
  if (member?.kind !== 'descriptor') return false;
  if (member.type === 'staticmethod') return undefined;
  return member.type === 'classmethod';
}

function shortName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** Attributes that are assigned on anything: what is looked up under these names may change later. */
function patchedNames(modules: readonly ModuleSyntax[]): Set<string> {
  const names = new Set<string>();
  for (const { body } of modules)
    eachStatement(body, (statement) => {
      if (statement.kind === 'assign')
        for (const target of statement.targets)
          if (target.kind === 'attribute' && !isSelf(target.object)) names.add(target.name);
      return true;
    });
  return names;
}

function isSelf(object: { kind: string; id?: string }): boolean {
  return object.kind === 'name' && object.id === 'self';
}

function resultOf(analysis: Analysis): CallGraph {
  const { program, definitions } = analysis;
  const edges = new Map<string, Set<string>>();
  for (const { name, kind } of definitions.values()) if (kind !== 'class') edges.set(name, new Set());
  for (const [caller, callees] of program.edges) {
    if (caller === '') continue;
    edges.set(caller, callees);
    for (const callee of callees) if (!edges.has(callee)) edges.set(callee, new Set());
  }
  return { edges, definitions, unresolved: unresolvedOf(analysis) };
}

/** Definitions of the repository that a function calls, itself left out unless it calls itself. */
export function calleesOf({ edges, definitions }: CallGraph, caller: string): Set<string> {
  return new Set([...(edges.get(caller) ?? [])].filter((callee) => definitions.has(callee)));
}

/** Definitions of the repository that a function calls, directly or through others. */
export function reachedFrom(graph: CallGraph, caller: string): Set<string> {
  const reached = new Set<string>();
  const ahead = [caller];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop())
    for (const callee of calleesOf(graph, next)) {
      if (reached.has(callee)) continue;
      reached.add(callee);
      ahead.push(callee);
    }
  return reached;
}

const SHOWN = 80;

/** Calls that have no edge, each with what is missing. */
function unresolvedOf({ calls }: Analysis): Unresolved[] {
  const found: Unresolved[] = [];
  for (const { site, callee } of calls) {
    const why = callee.full
      ? 'more values reach it than are kept: some callees are missing'
      : site.resolved
        ? undefined
        : whyUnresolved(site, callee);
    if (why) found.push({ file: site.module.path, line: site.span.line, text: shown(site), why });
  }
  return found;
}

function whyUnresolved({ callee: expression }: Site, callee: Slot): string {
  if (callee.values.length > 0) return 'what is called is nothing that can be followed';
  return reasonOf(expression);
}

function reasonOf(expression: Expression | undefined): string {
  switch (expression?.kind) {
    case 'name':
      return 'nothing is known to be bound to this name';
    case 'attribute':
      return 'the type of the receiver is not known';
    case 'call':
      return 'what the inner call gives back is not known';
    case 'subscript':
      return 'what is stored under this key is not known';
    default:
      return 'the value of this expression is not known';
  }
}

function shown({ module, span, callee }: Site): string {
  const { start, end } = callee ?? span;
  const text = module.text.slice(start, end).replace(/\s+/g, ' ');
  return text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text;
}
