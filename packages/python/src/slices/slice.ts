import {
  type FunctionKind,
  type FunctionSyntax,
  functionsIn,
  type PythonIndex,
  type PythonModule,
  type Unit,
  type Unresolved,
} from '../syntax';
import { keyOf } from './changed-names';
import { Closure } from './closure';
import { importsOf } from './imports';
import { repositoryOf } from './repository';
import type { Item, Selection } from './selection';

/** First and last line, from 1, decorators included. */
export type Lines = [number, number];

/** Where a function is: plain data, as all that follows. */
export interface FunctionTarget {
  /** Dotted name that it is imported by, like `humanize.time`. */
  module: string;
  /** Name within the module: `precisedelta`, or `Headers.raw_items`. */
  name: string;
  kind: FunctionKind;
  /** Relative to the repository. */
  file: string;
  lines: Lines;
}

/** One top-level definition. A method stands for its class. */
export interface SliceItem {
  kind: 'function' | 'class' | 'global';
  module: string;
  name: string;
  file: string;
  lines: Lines;
  outOfFile: boolean;
}

/** Statement that runs when its module is imported and changes what an item of the slice holds. */
export interface ImportTimeEffect {
  module: string;
  file: string;
  lines: Lines;
  /** Names of the items that it changes. */
  mutates: string[];
  text: string;
}

/** All that a function needs, directly or not: the closure of *functions called* and *globals accessed* (R2E, eq. 1). */
export interface Slice {
  target: FunctionTarget;
  /** In the order in which they can be defined; the target's own definition is the last. */
  items: SliceItem[];
  /** Import statements of packages from elsewhere that the items need, as source. */
  imports: string[];
  importTimeEffects: ImportTimeEffect[];
  unresolved: Unresolved[];
}

/** A slice with the syntax that it was read from: for contexts, and to write it out. */
export interface SliceSyntax {
  readonly function: FunctionSyntax;
  readonly selection: Selection;
  /** In the order in which they can be defined, the target's definition last. */
  readonly items: readonly Item[];
}

/**
 * The function that a dotted name means: `pkg.mod.f`, `pkg.mod.C.m`, or a name that a package passes on, `pkg.f`. Of several
 * definitions the last: the implementation, where stubs of overloads precede it.
 */
export function findFunction(index: PythonIndex, qualname: string): FunctionSyntax | undefined {
  const parts = qualname.split('.');
  for (let at = parts.length - 1; at > 0; at--) {
    const [module, name] = [parts.slice(0, at).join('.'), parts.slice(at)];
    for (const each of index.byName.get(module) ?? []) {
      const found = functionIn(each, name.join('.')) ?? passedOn(index, each, name);
      if (found) return found;
    }
  }
  return undefined;
}

function functionIn(module: PythonModule, name: string): FunctionSyntax | undefined {
  return functionsIn(module).findLast(({ qualname, isNested }) => qualname === name && !isNested);
}

function passedOn(index: PythonIndex, module: PythonModule, [first = '', ...rest]: readonly string[]) {
  for (const entity of repositoryOf(index).resolver.member(module, first, rest).entities) {
    if (entity.kind !== 'definition') continue;
    const found = functionIn(entity.module, [entity.binding.name, ...entity.rest].join('.'));
    if (found) return found;
  }
  return undefined;
}

/** The slice of a function: all that it needs, transitively, at the grain of top-level definitions. */
export function sliceSyntax(index: PythonIndex, target: FunctionSyntax): SliceSyntax {
  const repository = repositoryOf(index);
  const { module } = target;
  const closure = new Closure(repository, module);
  const top = target.qualname.split('.')[0]!;
  const bindings = repository.resolver
    .resolve(module, top, [])
    .entities.flatMap((entity) => (entity.kind === 'definition' && entity.module === module ? [entity.binding] : []));
  const own = (module.bindings.get(top) ?? []).find(({ unit }) => holds(unit, target));
  closure.close(own && !bindings.includes(own) ? [...bindings, own] : bindings);
  return { function: target, selection: closure.found, items: inOrder(closure.found, module, own?.unit) };
}

function holds({ statement }: Unit, target: FunctionSyntax): boolean {
  return statement.start <= target.statement.start && target.statement.end <= statement.end;
}

/** Modules after those that they import, definitions in the order of their lines, the target's own last. */
function inOrder(selection: Selection, target: PythonModule, own: Unit | undefined): Item[] {
  const order: PythonModule[] = [];
  const seen = new Set<PythonModule>();
  const edges = new Map<PythonModule, Set<PythonModule>>();
  for (const { from, to } of selection.dependencies)
    if (from !== to) edges.set(from, (edges.get(from) ?? new Set()).add(to));
  const visit = (module: PythonModule): void => {
    if (seen.has(module)) return;
    seen.add(module);
    for (const next of edges.get(module) ?? []) visit(next);
    order.push(module);
  };
  visit(target);
  for (const { module } of selection.items.values()) visit(module);
  const modules = [...order.filter((each) => each !== target), target];
  const rank = new Map(modules.map((module, at) => [module, at]));
  const isOwn = ({ module, binding }: Item) => {
    if (binding.unit === own) return 2;
    // Stubs of overloads stay with what they describe.
    return module === target && own?.binds.some(({ name }) => name === binding.name) ? 1 : 0;
  };
  return [...selection.items.values()].toSorted(
    (one, other) =>
      isOwn(one) - isOwn(other) ||
      rank.get(one.module)! - rank.get(other.module)! ||
      one.binding.statement.start - other.binding.statement.start,
  );
}

/** The slice as plain data. */
export function describeSlice({ function: target, selection, items }: SliceSyntax): Slice {
  const { module } = target;
  const names = new Map(items.map((item) => [keyOf(item.module, item.binding.name), item.binding.name]));
  return {
    target: targetOf(target),
    items: items.map((item) => describeItem(item, module)),
    imports: importsOf(selection),
    importTimeEffects: [...selection.effects.values()]
      .toSorted((one, other) => byPlace(one.module, one.unit, other.module, other.unit))
      .map(({ module: where, unit: { statement }, mutates }) => ({
        module: where.name,
        file: where.path,
        lines: [statement.line, statement.endLine] as Lines,
        mutates: mutates.map((key) => names.get(key) ?? key.slice(key.indexOf(':') + 1)),
        text: where.syntax.text.slice(statement.start, statement.end),
      })),
    unresolved: [...selection.doubts.values()].map(({ module: where, node, why }) => ({
      file: where.path,
      line: node.line,
      text: where.syntax.text.slice(node.start, node.end),
      why,
    })),
  };
}

function byPlace(one: PythonModule, unit: Unit, other: PythonModule, otherUnit: Unit): number {
  if (one !== other) return one.path < other.path ? -1 : 1;
  return unit.statement.start - otherUnit.statement.start;
}

export function targetOf({ module, qualname, kind, lines }: FunctionSyntax): FunctionTarget {
  return { module: module.name, name: qualname, kind, file: module.path, lines: [...lines] };
}

function describeItem({ module, binding }: Item, target: PythonModule): SliceItem {
  const { statement, name, kind } = binding;
  return {
    kind: kind === 'function' || kind === 'class' ? kind : 'global',
    module: module.name,
    name,
    file: module.path,
    lines: [statement.line, statement.endLine],
    outOfFile: module !== target,
  };
}
