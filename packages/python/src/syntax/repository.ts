import { type Binding, importedBy, type Unit, unitsOf } from './bindings';
import { decided } from './conditions';
import { type ImportHints, type ModulePlace, placeModules } from './module-names';
import type { Python } from './parser';
import { reachingBindings } from './reaching';
import type { Expression, ModuleSyntax, Statement } from './syntax';
import { eachStatement } from './walk';

/** A module of the repository: its syntax, and what its top level binds. */
export interface PythonModule extends ModulePlace {
  readonly syntax: ModuleSyntax;
  readonly units: readonly Unit[];
  readonly unitOf: ReadonlyMap<Statement, Unit>;
  /** Every binding of a name, in order. Star imports are under `*`. */
  readonly bindings: ReadonlyMap<string, readonly Binding[]>;
  /** `from __future__ import annotations`: none is evaluated when the module is imported. */
  readonly postponedAnnotations: boolean;
}

export interface PythonIndex {
  readonly python: Python;
  readonly modules: readonly PythonModule[];
  readonly byPath: ReadonlyMap<string, PythonModule>;
  /** Modules of a dotted name; the first is what an import from elsewhere finds. */
  readonly byName: ReadonlyMap<string, readonly PythonModule[]>;
}

export interface SourceFile {
  /** Relative to the folder that is read, with `/`. */
  readonly path: string;
  readonly text: string;
}

const ROLES = ['source', 'test', 'example', 'script', 'docs', 'build'];

/** Reads every file, finds out what modules they are, and what each binds. Files that are no `.py` are left out. */
export function indexRepository(python: Python, files: readonly SourceFile[]): PythonIndex {
  const read = files
    .filter(({ path }) => path.endsWith('.py'))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
    .map(({ path, text }) => python.parse(path, text));
  return indexOf(python, read);
}

/** The index of modules that were read already. */
function indexOf(python: Python, read: readonly ModuleSyntax[]): PythonIndex {
  const places = placeModules(read.map(hintsOf));
  const modules = read.map((syntax, at) => moduleOf(syntax, places[at]!));
  const byName = new Map<string, PythonModule[]>();
  for (const each of modules) byName.set(each.name, [...(byName.get(each.name) ?? []), each]);
  for (const same of byName.values())
    same.sort(
      (one, other) => ROLES.indexOf(one.role) - ROLES.indexOf(other.role) || one.path.length - other.path.length,
    );
  return { python, modules, byPath: new Map(modules.map((each) => [each.path, each])), byName };
}

function hintsOf({ path, body }: ModuleSyntax): ImportHints {
  const absolute: string[] = [];
  let dots = 0;
  eachStatement(body, (statement) => {
    if (statement.kind === 'import') absolute.push(...statement.names.map(({ name }) => name));
    if (statement.kind !== 'importFrom') return undefined;
    dots = Math.max(dots, statement.level);
    if (statement.level > 0) return undefined;
    absolute.push(statement.module, ...statement.names.map(({ name }) => `${statement.module}.${name}`));
    return undefined;
  });
  return { path, absolute, dots };
}

function moduleOf(syntax: ModuleSyntax, place: ModulePlace): PythonModule {
  const units = unitsOf(syntax);
  const bindings = new Map<string, Binding[]>();
  for (const unit of units)
    for (const bound of unit.binds) {
      const known = bindings.get(bound.name);
      if (known) known.push({ ...bound, unit });
      else bindings.set(bound.name, [{ ...bound, unit }]);
    }
  return {
    ...place,
    syntax,
    units,
    unitOf: new Map(units.map((unit) => [unit.statement, unit])),
    bindings,
    postponedAnnotations: units.some(
      ({ statement }) =>
        statement.kind === 'importFrom' &&
        statement.module === '__future__' &&
        importedBy(statement).some(({ name }) => name === 'annotations'),
    ),
  };
}

/**
 * The bindings that a name of a module may have when the module has run, or before an offset of it. `stars` are star
 * imports that may bring the name.
 */
export function bindingsOf(
  module: PythonModule,
  name: string,
  { before = Number.POSITIVE_INFINITY, stars = [] }: { before?: number; stars?: readonly Binding[] } = {},
): Binding[] {
  const own = module.bindings.get(name) ?? [];
  if (own.length === 0 && stars.length === 0) return [];
  const candidates = stars.length === 0 ? own : [...own, ...stars].toSorted(inOrder);
  const assignedTo = (other: string) => assigned(module, other);
  return reachingBindings({ body: module.syntax.body, unitOf: module.unitOf, candidates, assignedTo, before });
}

function inOrder(one: Binding, other: Binding): number {
  return one.unit.statement.start - other.unit.statement.start;
}

/** What a name is assigned, where that is said in one place alone. */
export function assigned(module: PythonModule, name: string): Expression | undefined {
  const bindings = module.bindings.get(name);
  const statement = bindings?.length === 1 ? bindings[0]!.statement : undefined;
  if (statement?.kind === 'annotatedAssign') return statement.value;
  return statement?.kind === 'assign' && statement.targets.every(({ kind }) => kind === 'name')
    ? statement.value
    : undefined;
}

/** What a test of a module's top level comes to on every supported Python, or undefined where that depends. */
export function decidedIn(module: PythonModule, test: Expression): boolean | undefined {
  return decided(test, (name) => assigned(module, name));
}
