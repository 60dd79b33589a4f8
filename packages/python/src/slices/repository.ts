import {
  assigned,
  type Binding,
  type Expression,
  eachStatement,
  type ImportedFrom,
  namesBoundBy,
  type PythonIndex,
  type PythonModule,
  Resolver,
  type Statement,
  scopeOf,
  type Unit,
  walkScopes,
} from '../syntax';
import type { GlobalKey } from './changed-names';
import { Importing } from './importing';
import { Mutations } from './mutations';

/** Packages whose decorators and classes look at annotations when a module is imported. */
const ANNOTATION_READERS =
  /^(pydantic|pydantic_settings|sqlmodel|msgspec|beartype|typeguard|typer|fastapi|injector|marshmallow_dataclass|mashumaro|odmantic|strawberry|tyro)\b/;

const repositories = new WeakMap<PythonIndex, Repository>();

/** What slices of an index share is made once. */
export function repositoryOf(index: PythonIndex): Repository {
  const known = repositories.get(index) ?? new Repository(index);
  repositories.set(index, known);
  return known;
}

/** What slices of one repository share: names resolved, and what each module's import-time statements change. */
export class Repository {
  readonly resolver: Resolver;
  readonly importing: Importing;
  private readonly mutations: Mutations;
  private readonly effects = new Map<GlobalKey, { module: PythonModule; unit: Unit }[]>();
  private readonly scanned = new Set<PythonModule>();
  private readonly declared = new Map<PythonModule, ReadonlyMap<string, ImportedFrom[]>>();
  private readonly writers = new Map<PythonModule, readonly Unit[]>();

  constructor(readonly index: PythonIndex) {
    this.resolver = new Resolver(index);
    this.importing = new Importing(this.resolver);
    this.mutations = new Mutations(this.resolver);
  }

  /** Statements that change a global while their modules are imported, of the modules that are loaded. */
  effectsOn(key: GlobalKey, loaded: ReadonlySet<PythonModule>): { module: PythonModule; unit: Unit }[] {
    for (const module of loaded) this.scan(module);
    return (this.effects.get(key) ?? []).filter(({ module }) => loaded.has(module));
  }

  private scan(module: PythonModule): void {
    if (this.scanned.has(module)) return;
    this.scanned.add(module);
    for (const unit of module.units) {
      if (!mayChange(unit) || !this.runs(module, unit)) continue;
      for (const key of this.mutations.ofUnit(module, unit)) {
        const known = this.effects.get(key);
        if (known) known.push({ module, unit });
        else this.effects.set(key, [{ module, unit }]);
      }
    }
  }

  /** False for `if __name__ == '__main__'` and for branches of other Pythons. */
  private runs(module: PythonModule, unit: Unit): boolean {
    return this.resolver.isLive(module, unit);
  }

  /**
   * `except ImportError: wcwidth = None` after `import wcwidth`: a part of how the package is imported, not a global
   * of the repository's own.
   */
  isImportFallback(module: PythonModule, { name, unit, kind }: Binding): boolean {
    if (kind !== 'variable' || unit.branches.length === 0 || unit.statement.kind !== 'assign') return false;
    if (!isPlain(unit.statement.value)) return false;
    return (module.bindings.get(name) ?? []).some(
      ({ imported, unit: other }) =>
        imported !== undefined &&
        other.branches.some(({ statement }) => unit.branches.some((each) => each.statement === statement)) &&
        !this.resolver.moduleNamed(module, imported.level, imported.module),
    );
  }

  /** The text that an expression is, where that is written down. */
  textOf(module: PythonModule, expression: Expression): string | undefined {
    if (expression.kind === 'string') return expression.value;
    if (expression.kind === 'name') {
      const value = assigned(module, expression.id);
      return value?.kind === 'string' ? value.value : undefined;
    }
    if (expression.kind !== 'binary' || expression.operator !== '+') return undefined;
    const [left, right] = [this.textOf(module, expression.left), this.textOf(module, expression.right)];
    return left === undefined || right === undefined ? undefined : left + right;
  }

  /** Modules of the repository that an expression names. */
  modulesOf(module: PythonModule, expression: Expression): PythonModule[] {
    const path: string[] = [];
    let at = expression;
    while (at.kind === 'attribute') {
      path.unshift(at.name);
      at = at.object;
    }
    if (at.kind !== 'name') return [];
    return this.resolver
      .resolve(module, at.id, path)
      .entities.flatMap((entity) => (entity.kind === 'module' ? [entity.module] : []));
  }

  /** Top-level statements that put names into their module without saying which: `globals()[name] = …`, `exec(…)`. */
  dynamicWriters(module: PythonModule): readonly Unit[] {
    const known = this.writers.get(module);
    if (known) return known;
    const found = /globals\(\)|locals\(\)|vars\(\)|\bexec\(|sys\.modules\[__name__\]/.test(module.syntax.text)
      ? writersIn(module)
      : [];
    this.writers.set(module, found);
    return found;
  }

  /** What functions of a module import under a name that they declare `global`; undefined where none sets the name. */
  setInFunctions(module: PythonModule, name: string): readonly ImportedFrom[] | undefined {
    const known = this.declared.get(module) ?? globalsSetIn(module);
    this.declared.set(module, known);
    return known.get(name);
  }

  /** Whether something looks at the annotations of a definition while its module is imported. */
  looksAtAnnotations(module: PythonModule, { statement }: Unit): boolean {
    if (statement.kind !== 'function' && statement.kind !== 'class') return false;
    const bases = statement.kind === 'class' ? statement.arguments.map(({ value }) => value) : [];
    return [...statement.decorators, ...bases].some((each) => {
      // `functools.singledispatch` takes the type from the first parameter's annotation.
      if (each.kind === 'attribute' && each.name === 'register') return true;
      const { name, path } = chainOf(each.kind === 'call' ? each.callee : each);
      if (name === undefined) return false;
      return this.resolver
        .resolve(module, name, path)
        .entities.some((entity) => entity.kind === 'external' && ANNOTATION_READERS.test(entity.name));
    });
  }
}

function globalsSetIn(module: PythonModule): Map<string, ImportedFrom[]> {
  const found = new Map<string, ImportedFrom[]>();
  eachStatement(module.syntax.body, (statement) => {
    if (statement.kind !== 'function') return undefined;
    const declared = new Set<string>();
    eachStatement(statement.body, (each) => {
      if (each.kind === 'global') for (const name of each.names) declared.add(name);
      return each.kind !== 'function' && each.kind !== 'class';
    });
    if (declared.size === 0) return undefined;
    for (const { name, imported } of statement.body.flatMap(namesBoundBy)) {
      if (!declared.has(name)) continue;
      const known = found.get(name) ?? [];
      found.set(name, imported ? [...known, imported] : known);
    }
    return undefined;
  });
  return found;
}

function chainOf(expression: Expression): { name: string | undefined; path: string[] } {
  const path: string[] = [];
  let at = expression;
  while (at.kind === 'attribute') {
    path.unshift(at.name);
    at = at.object;
  }
  return { name: at.kind === 'name' ? at.id : undefined, path };
}

/** Cheap to tell: imports and definitions without decorators or bases change nothing. */
function mayChange({ statement }: Unit): boolean {
  switch (statement.kind) {
    case 'function':
      return statement.decorators.length > 0;
    case 'class':
    case 'assign':
    case 'annotatedAssign':
    case 'augmentedAssign':
    case 'delete':
    case 'for':
    case 'while':
    case 'with':
    case 'match':
    case 'assert':
      return true;
    case 'expression':
      return statement.value.kind !== 'string';
    default:
      return false;
  }
}

/** A value that needs nothing of the repository. */
function isPlain(expression: Expression): boolean {
  switch (expression.kind) {
    case 'name':
    case 'number':
    case 'string':
    case 'boolean':
    case 'none':
    case 'ellipsis':
      return true;
    case 'attribute':
      return isPlain(expression.object);
    case 'tuple':
    case 'list':
      return expression.elements.every(isPlain);
    default:
      return false;
  }
}

function writersIn(module: PythonModule): Unit[] {
  const writing = new Set<string>();
  const writes = (unit: Unit, lazy: boolean): boolean => {
    let found = false;
    walkScopes(unit.statement, {
      statement: (statement, scope) => {
        if (scope.lazy === lazy && statement.kind === 'assign')
          found ||= statement.targets.some((target) => target.kind === 'subscript' && isNamespace(target.object));
      },
      expression: (expression, scope) => {
        if (scope.lazy !== lazy || expression.kind !== 'call') return;
        const { callee, arguments: given } = expression;
        if (callee.kind === 'attribute') found ||= callee.name === 'update' && isNamespace(callee.object);
        if (callee.kind !== 'name' || scopeOf(callee.id, scope).kind !== 'module') return;
        found ||= writing.has(callee.id) && !lazy;
        found ||= callee.id === 'exec' || (callee.id === 'setattr' && given[0] !== undefined && isOwn(given[0].value));
      },
    });
    return found;
  };
  for (const unit of module.units)
    if (unit.statement.kind === 'function' && writes(unit, true)) writing.add(unit.statement.name);
  return module.units.filter((unit) => isStatementThatRuns(unit.statement) && writes(unit, false));
}

function isStatementThatRuns({ kind }: Statement): boolean {
  return kind !== 'function' && kind !== 'import' && kind !== 'importFrom';
}

function isNamespace(expression: Expression): boolean {
  if (expression.kind === 'attribute') return expression.name === '__dict__' && isOwn(expression.object);
  if (expression.kind !== 'call' || expression.callee.kind !== 'name') return false;
  return /^(globals|locals|vars)$/.test(expression.callee.id) && expression.arguments.length === 0;
}

function isOwn(expression: Expression): boolean {
  return expression.kind === 'subscript' && expression.index.kind === 'name' && expression.index.id === '__name__';
}
