import {
  type Binding,
  decidedIn,
  type Entity,
  type Expression,
  eachExpression,
  eachStatement,
  expressionsIn,
  isBuiltin,
  namesInTarget,
  type PythonModule,
  type Resolution,
  type Unit,
  type Use,
  usesIn,
} from '../syntax';
import { keyOf } from './changed-names';
import { type Lookup, lookupsIn } from './lookups';
import type { Repository } from './repository';
import { type Place, Selection } from './selection';

/**
 * All that a definition needs: the transitive closure of functions called and globals accessed (R2E, eq. 1), at the grain
 * of top-level definitions, and the statements that change them while their modules are imported.
 */
export class Closure {
  /** What was found so far. */
  readonly found: Selection;
  private readonly analysed = new Set<Unit>();
  private readonly queue: { module: PythonModule; unit: Unit; distance: number }[] = [];
  /** Modules that are named only to look something up in them. */
  private readonly lookedInto = new Set<Place>();

  constructor(
    private readonly repository: Repository,
    private readonly target: PythonModule,
  ) {
    this.found = new Selection(repository);
  }

  /** Closes over what these bindings need. `loaded` are the modules whose import-time statements run at all. */
  close(bindings: readonly Binding[]): void {
    for (const binding of bindings) this.need(this.target, binding, 0);
    const loaded = this.repository.importing.closure(this.target);
    for (let grown = true; grown; ) {
      this.drain();
      grown = this.takeEffects(loaded);
      if (!grown && !this.found.keepsAnnotations && this.readsAnnotations()) {
        this.found.keepsAnnotations = true;
        this.analysed.clear();
        for (const { module, binding, distance } of this.found.items.values())
          this.queue.push({ module, unit: binding.unit, distance });
        grown = true;
      }
    }
  }

  private drain(): void {
    for (let at = 0; at < this.queue.length; at++) {
      const { module, unit, distance } = this.queue[at]!;
      this.analyse(module, unit, distance);
    }
    this.queue.length = 0;
  }

  private need(module: PythonModule, binding: Binding, distance: number): void {
    if (this.found.items.has(binding) || this.found.supports.has(binding.unit)) return;
    if (this.repository.isImportFallback(module, binding)) this.found.supports.set(binding.unit, module);
    else {
      this.found.add({ module, binding, distance });
    }
    this.queue.push({ module, unit: binding.unit, distance });
  }

  private analyse(module: PythonModule, unit: Unit, distance: number): void {
    if (this.analysed.has(unit)) return;
    this.analysed.add(unit);
    const lookups = lookupsIn(unit.statement, module, (each) => this.repository.textOf(module, each));
    for (const { object } of lookups) if (object) this.lookedInto.add(object);
    for (const use of usesIn(unit.statement)) this.use(module, unit, use, distance);
    for (const name of standIns(module, unit))
      this.take(module, unit, this.repository.resolver.resolve(module, name, []), unit.statement, distance);
    for (const guard of guardsOf(module, unit))
      for (const use of usesIn({ kind: 'expression', value: guard, ...spanOf(guard) }))
        this.use(module, unit, use, distance);
    for (const control of controlsOf(module, unit)) this.control(module, control, distance);
    for (const lookup of lookups) this.lookup(module, unit, lookup, distance);
  }

  private use(module: PythonModule, unit: Unit, use: Use, distance: number): void {
    const annotation = use.place === 'annotation' && !this.countsAnnotations(module, unit);
    if (annotation && (module.postponedAnnotations || use.lazy)) return;
    const { resolver } = this.repository;
    const resolution = use.imported
      ? resolver.imported(module, use.imported, use.path)
      : resolver.resolve(module, use.name, use.path, use.lazy ? undefined : unit.statement.start);
    if (annotation) {
      // Evaluated, and looked at by nobody: only what comes from elsewhere is listed.
      if (resolution.entities.every(({ kind }) => kind === 'external')) this.pass(resolution, true);
      return;
    }
    if (resolution.entities.length === 0) this.unknown(module, unit, use, distance);
    else this.take(module, unit, resolution, use.node, distance);
  }

  private take(module: PythonModule, unit: Unit, resolution: Resolution, node: Place, distance: number): void {
    this.pass(resolution, false);
    for (const submodule of resolution.submodules) {
      const known = this.found.submodules.get(module) ?? new Set();
      this.found.submodules.set(module, known.add(submodule));
    }
    for (const entity of resolution.entities) this.entity(module, unit, entity, node, distance);
  }

  private pass(resolution: Resolution, annotation: boolean): void {
    this.found.pass(resolution, annotation);
    if (annotation) return;
    for (const { module, binding } of resolution.through) this.queue.push({ module, unit: binding.unit, distance: 0 });
  }

  private entity(module: PythonModule, unit: Unit, entity: Entity, node: Place, distance: number): void {
    switch (entity.kind) {
      case 'definition':
        // A function that calls itself, the variable of a loop: there with the statement.
        if (entity.binding.unit === unit) return;
        this.found.dependencies.push({ from: module, to: entity.module });
        this.need(entity.module, entity.binding, distance + 1);
        return;
      case 'module':
        if (this.lookedInto.has(node)) return;
        if (this.followAlias(module, unit, entity.module, node, distance)) return;
        this.found.doubt(module, node, `module ${entity.module.name} is used as a value: all that it defines belongs`);
        this.widen(entity.module, '', '', distance);
        return;
      case 'missing':
        if (!this.takeDynamic(entity.module, distance) && !isKnown(entity.name))
          this.found.doubt(module, node, `${entity.module.name} defines no ${entity.name} that can be read`);
        return;
      case 'external':
      case 'namespace':
        return;
      default:
        entity satisfies never;
    }
  }

  private followAlias(module: PythonModule, unit: Unit, named: PythonModule, node: Place, distance: number): boolean {
    const attributes = attributesOfAlias(unit, node);
    for (const name of attributes ?? [])
      this.take(module, unit, this.repository.resolver.member(named, name, []), node, distance);
    return attributes !== undefined;
  }

  /** A name that no statement of the module binds. */
  private unknown(module: PythonModule, unit: Unit, { name, path, node }: Use, distance: number): void {
    if (isKnown(name)) {
      if (name === '__file__' || name === '__path__')
        this.found.doubt(module, node, 'finds files beside the module, which are no part of a slice');
      return;
    }
    const set = this.repository.setInFunctions(module, name);
    if (set) {
      for (const each of set)
        this.take(module, unit, this.repository.resolver.imported(module, each, path), node, distance);
      return;
    }
    if (this.takeDynamic(module, distance)) return;
    const stars = (module.bindings.get('*') ?? []).filter(
      ({ imported }) => !this.repository.resolver.moduleNamed(module, imported!.level, imported!.module),
    );
    this.pass(
      { entities: [], through: stars.map((binding) => ({ module, binding, name: '*' })), submodules: [] },
      false,
    );
    if (stars.length > 0) this.found.doubt(module, node, 'may come from a star import of another package');
    else if (!module.bindings.has(name))
      this.found.doubt(module, node, `nothing at the top level of ${module.name} binds ${name}`);
  }

  /** Statements that write names into the module's namespace may be what makes a name. */
  private takeDynamic(module: PythonModule, distance: number): boolean {
    const units = this.repository.dynamicWriters(module);
    for (const unit of units) {
      if (this.found.effects.has(unit)) continue;
      this.found.effects.set(unit, { module, unit, mutates: [] });
      this.queue.push({ module, unit, distance });
    }
    return units.length > 0;
  }

  private lookup(module: PythonModule, unit: Unit, lookup: Lookup, distance: number): void {
    const { node, names, object, prefix, suffix, why } = lookup;
    const { resolver } = this.repository;
    const into = object ? this.repository.modulesOf(module, object) : [module];
    if (into.length === 0) return;
    for (const each of into) {
      if (names) {
        for (const name of names) {
          const found = each === module && !object ? resolver.resolve(each, name, []) : resolver.member(each, name, []);
          if (found.entities.some(({ kind }) => kind !== 'missing')) this.take(module, unit, found, node, distance);
        }
      } else if (/^(eval|exec)/.test(why)) this.found.doubt(module, node, `${why}: not followed`);
      else {
        const some = prefix === '' && suffix === '' ? 'all' : `all named ${prefix}…${suffix}`;
        this.found.doubt(module, node, `${why}: ${some} that ${each.name} defines belongs`);
        this.widen(each, prefix, suffix, distance);
      }
    }
  }

  private widen(module: PythonModule, prefix: string, suffix: string, distance: number): void {
    for (const name of module.bindings.keys()) {
      if (name === '*' || /^__\w+__$/.test(name) || !name.startsWith(prefix) || !name.endsWith(suffix)) continue;
      for (const entity of this.repository.resolver.resolve(module, name, []).entities)
        if (entity.kind === 'definition' && entity.module === module) this.need(module, entity.binding, distance + 1);
    }
  }

  /** A statement that decides which branch of a `try` counts. */
  private control(module: PythonModule, unit: Unit, distance: number): void {
    const imported = unit.binds.filter((each) => each.imported);
    if (imported.length === 0) {
      this.found.supports.set(unit, module);
      this.queue.push({ module, unit, distance });
      return;
    }
    const passed = imported.some(({ name }) =>
      [...this.found.imports.values()].some((each) => each.binding.unit === unit && each.name === name),
    );
    if (passed) return;
    for (const { name } of imported) {
      const binding = module.bindings.get(name)?.find((each) => each.unit === unit);
      if (binding && binding.name !== '*')
        this.pass({ entities: [], through: [{ module, binding, name }], submodules: [] }, false);
    }
  }

  private takeEffects(loaded: ReadonlySet<PythonModule>): boolean {
    let grown = false;
    for (const key of [...this.found.keys])
      for (const { module, unit } of this.repository.effectsOn(key, loaded)) {
        // A name that is made anew from what it was is a definition, not a change.
        if (unit.binds.some(({ name }) => keyOf(module, name) === key)) continue;
        const known = this.found.effects.get(unit);
        if (known) {
          if (!known.mutates.includes(key))
            this.found.effects.set(unit, { ...known, mutates: [...known.mutates, key] });
          continue;
        }
        this.found.effects.set(unit, { module, unit, mutates: [key] });
        for (const bound of unit.binds) {
          // A definition that its decorator registers is one of the slice's.
          if (bound.kind !== 'function' && bound.kind !== 'class') continue;
          const binding = module.bindings.get(bound.name)?.find((each) => each.unit === unit);
          if (binding) this.need(module, binding, 1);
        }
        this.queue.push({ module, unit, distance: 1 });
        grown = true;
      }
    return grown;
  }

  private countsAnnotations(module: PythonModule, unit: Unit): boolean {
    return this.found.keepsAnnotations || this.repository.looksAtAnnotations(module, unit);
  }

  /** Code of the slice that asks for annotations gets them as they are. */
  private readsAnnotations(): boolean {
    return [...this.found.items.values()].some(({ module, binding: { statement } }) =>
      /\b(get_type_hints|get_annotations|__annotations__)\b/.test(
        module.syntax.text.slice(statement.start, statement.end),
      ),
    );
  }
}

function spanOf({ start, end, line, endLine }: Expression) {
  return { start, end, line, endLine };
}

/**
 * Attributes that are read from a module by another name: `filters = nx.filters` and then `filters.show_nodes`. Undefined
 * where the name is used for anything else, so that anything of the module may be meant.
 */
function attributesOfAlias(unit: Unit, node: Pick<Expression, 'start' | 'end'>): string[] | undefined {
  const aliases = new Set<string>();
  eachStatement([unit.statement], (statement) => {
    if (statement.kind === 'assign' && statement.value.start === node.start && statement.value.end === node.end)
      for (const target of statement.targets) aliases.add(target.kind === 'name' ? target.id : '');
    return undefined;
  });
  if (aliases.size === 0 || aliases.has('') || unit.statement.kind === 'assign') return undefined;
  const attributes = new Set<string>();
  let uses = 0;
  let reads = 0;
  let targets = 0;
  eachStatement([unit.statement], (statement) => {
    if (statement.kind === 'assign')
      targets += statement.targets.filter((each) => each.kind === 'name' && aliases.has(each.id)).length;
    for (const expression of expressionsIn(statement))
      eachExpression(expression, (each) => {
        if (each.kind === 'name' && aliases.has(each.id)) uses++;
        if (each.kind === 'attribute' && each.object.kind === 'name' && aliases.has(each.object.id)) {
          attributes.add(each.name);
          reads++;
        }
        return undefined;
      });
    return undefined;
  });
  return uses === reads + targets ? [...attributes] : undefined;
}

/** Expressions that decide whether a top-level statement runs: tests of its `if`s, exception types of its `try`s. */
function guardsOf(module: PythonModule, unit: Unit): Expression[] {
  return unit.branches.flatMap(({ statement }) => {
    if (statement.kind === 'try') return statement.handlers.flatMap(({ type }) => (type ? [type] : []));
    return decidedIn(module, statement.test) === undefined ? [statement.test] : [];
  });
}

/** Imports and bare expressions of the `try` bodies that a statement stands in: whether they raise decides the branch. */
function controlsOf(module: PythonModule, unit: Unit): Unit[] {
  const tries = unit.branches.filter(({ statement }) => statement.kind === 'try').map(({ statement }) => statement);
  if (tries.length === 0) return [];
  return module.units.filter(
    (each) =>
      each !== unit &&
      each.branches.some(
        ({ statement, branch }) => tries.includes(statement) && (branch === 'body' || each.statement.kind === 'raise'),
      ) &&
      ['import', 'importFrom', 'expression', 'raise', 'delete'].includes(each.statement.kind),
  );
}

/**
 * Functions of a module that a local variable of the same name takes the place of: `get = getter(index)` beside a
 * top-level `get`. Python never reads the function there. It is counted all the same, as the recorded slices and
 * name-based slicers do: the variable is a version of it, which a reader has to know to follow the code.
 */
function standIns(module: PythonModule, { statement }: Unit): string[] {
  if (statement.kind !== 'function') return [];
  const found = new Set<string>();
  eachStatement(statement.body, (each) => {
    if (each.kind === 'assign' && (each.value.kind === 'call' || each.value.kind === 'lambda'))
      for (const name of each.targets.flatMap(namesInTarget)) if (isFunction(module, name)) found.add(name);
    return each.kind !== 'class';
  });
  for (const { name } of statement.parameters) found.delete(name);
  return [...found];
}

function isFunction(module: PythonModule, name: string): boolean {
  return module.bindings.get(name)?.at(-1)?.kind === 'function';
}

/** Constants and what is set for every module, the names of Python 2 that guarded code still says among them. */
const KNOWN = new Set(
  (
    'Ellipsis False None NotImplemented True WindowsError ' +
    'basestring buffer cmp execfile file intern long raw_input reduce reload unichr unicode xrange'
  ).split(' '),
);

/** Whether Python finds a name that no statement binds. */
function isKnown(name: string): boolean {
  return isBuiltin(name) || KNOWN.has(name) || /^__\w+__$/.test(name);
}
