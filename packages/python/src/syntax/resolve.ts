import type { Binding, ImportedFrom, Unit } from './bindings';
import { listedNames } from './exports';
import { isLive } from './reaching';
import { assigned, bindingsOf, type PythonIndex, type PythonModule } from './repository';
import type { Expression } from './syntax';

/** What a name stands for, as far as the repository's source says. */
export type Entity =
  /** A definition; `rest` are the attributes that are read from it. */
  | {
      readonly kind: 'definition';
      readonly module: PythonModule;
      readonly binding: Binding;
      readonly rest: readonly string[];
    }
  | { readonly kind: 'module'; readonly module: PythonModule }
  /** A folder without `__init__.py` that modules are imported from. */
  | { readonly kind: 'namespace'; readonly name: string }
  /** From a package that is not in the repository; `name` is dotted, as far as it is known. */
  | { readonly kind: 'external'; readonly name: string }
  /** A name that a module of the repository should hold and does not. */
  | { readonly kind: 'missing'; readonly module: PythonModule; readonly name: string };

/** An import that a name came through. A star import says which name it brought. */
export interface Passage {
  readonly module: PythonModule;
  readonly binding: Binding;
  readonly name: string;
}

export interface Resolution {
  readonly entities: readonly Entity[];
  /** In the order in which they were passed. */
  readonly through: readonly Passage[];
  /** Modules that are read as an attribute of their package without having been imported into it by name. */
  readonly submodules: readonly PythonModule[];
}

const NOTHING: Resolution = { entities: [], through: [], submodules: [] };

/** Follows names through the imports of a repository. Answers are kept: make one for an index, and ask it often. */
export class Resolver {
  private readonly exported = new Map<PythonModule, readonly string[]>();
  private readonly members = new Map<PythonModule, Map<string, Resolution>>();
  private readonly open = new Set<string>();

  constructor(readonly index: PythonIndex) {}

  /** What `name.path[0].path[1]…` is at the top level of a module: at its end, or `before` an offset. Empty for builtins. */
  resolve(module: PythonModule, name: string, path: readonly string[], before?: number): Resolution {
    const stars = this.starsWith(module, name);
    const found = bindingsOf(module, name, { before, stars });
    if (found.length === 0 && before !== undefined) return this.resolve(module, name, path);
    if (found.length > 0) return merged(found.map((binding) => this.follow(module, binding, name, path)));
    // What a module does not hold is the package's submodule, or made by its `__getattr__`.
    return NOTHING;
  }

  /** What an import inside of a function stands for. */
  imported(module: PythonModule, imported: ImportedFrom, path: readonly string[]): Resolution {
    return this.target(module, imported, imported.name ?? '', path);
  }

  /** False for a statement that no supported Python runs when its module is imported. */
  isLive(module: PythonModule, unit: Unit): boolean {
    return isLive({ unit }, { assignedTo: (name) => assigned(module, name) });
  }

  /** The module that an import statement names: undefined where it is no module of the repository. */
  moduleNamed(from: PythonModule, level: number, dotted: string): PythonModule | undefined {
    const entity = this.place(from, level, dotted);
    return entity.kind === 'module' ? entity.module : undefined;
  }

  /** Names that `from module import *` brings, and whether a star import from elsewhere may bring more. */
  exportsOf(module: PythonModule): readonly string[] {
    const known = this.exported.get(module);
    if (known) return known;
    // In a cycle of star imports the names that are known so far have to do.
    this.exported.set(module, []);
    const names = this.listed(module) ?? this.publicNames(module);
    this.exported.set(module, names);
    return names;
  }

  /** What an attribute of a module is. */
  member(module: PythonModule, name: string, path: readonly string[]): Resolution {
    if (path.length > 0) return continued(this.member(module, name, []), (entity) => this.attributes(entity, path));
    const known = this.members.get(module)?.get(name);
    if (known) return known;
    const key = `${module.path}:${name}`;
    if (this.open.has(key)) return this.submodule(module, name) ?? NOTHING;
    this.open.add(key);
    const found = this.findMember(module, name);
    this.open.delete(key);
    const members = this.members.get(module) ?? new Map<string, Resolution>();
    this.members.set(module, members.set(name, found));
    return found;
  }

  private findMember(module: PythonModule, name: string): Resolution {
    const found = this.resolve(module, name, []);
    if (found.entities.length > 0) return found;
    const submodule = this.submodule(module, name);
    if (submodule) return submodule;
    if (module.bindings.has('__getattr__') && !/^__\w+__$/.test(name)) return this.resolve(module, '__getattr__', []);
    return { ...NOTHING, entities: [{ kind: 'missing', module, name }] };
  }

  private submodule(module: PythonModule, name: string): Resolution | undefined {
    if (!module.isPackage) return undefined;
    const folder = module.path.slice(0, -'__init__.py'.length);
    const path = [`${folder}${name}.py`, `${folder}${name}/__init__.py`].find((each) => this.index.byPath.has(each));
    const found = path === undefined ? undefined : this.index.byPath.get(path)!;
    return found && { entities: [{ kind: 'module', module: found }], through: [], submodules: [found] };
  }

  private follow(module: PythonModule, binding: Binding, name: string, path: readonly string[]): Resolution {
    if (!binding.imported) return { ...NOTHING, entities: [{ kind: 'definition', module, binding, rest: path }] };
    const reached = this.target(module, binding.imported, name, path);
    if (binding.name === '*' && reached.entities.length === 0) return NOTHING;
    return { ...reached, through: [{ module, binding, name }, ...reached.through] };
  }

  private target(module: PythonModule, imported: ImportedFrom, name: string, path: readonly string[]): Resolution {
    const place = this.place(module, imported.level, imported.module);
    if (imported.name === undefined) return this.withoutImported(module, imported, this.attributes(place, path));
    const first = imported.name === '*' ? name : imported.name;
    return this.withoutImported(module, imported, this.attributes(place, [first, ...path], imported.name === '*'));
  }

  /** A submodule that the statement itself imports is there without more ado. */
  private withoutImported(
    module: PythonModule,
    { statement, level, module: dotted, name }: ImportedFrom,
    found: Resolution,
  ): Resolution {
    if (found.submodules.length === 0) return found;
    const names =
      statement.kind === 'import'
        ? statement.names.map((each) => each.name)
        : [dotted === '' ? name! : `${dotted}.${name}`];
    const imported = names.flatMap((each) => {
      const parts = each.split('.');
      return parts.map((_, at) => this.moduleNamed(module, level, parts.slice(0, at + 1).join('.')));
    });
    return { ...found, submodules: found.submodules.filter((each) => !imported.includes(each)) };
  }

  private attributes(entity: Entity, path: readonly string[], star = false): Resolution {
    const [first, ...rest] = path;
    if (first === undefined) return { ...NOTHING, entities: [entity] };
    switch (entity.kind) {
      case 'module': {
        const found = this.member(entity.module, first, rest);
        const missing = found.entities.every(({ kind }) => kind === 'missing');
        return star && missing ? NOTHING : found;
      }
      case 'namespace': {
        const inside = this.absolute(undefined, `${entity.name}.${first}`);
        return this.attributes(inside, rest);
      }
      case 'external':
        return { ...NOTHING, entities: [{ kind: 'external', name: [entity.name, ...path].join('.') }] };
      case 'definition':
        return { ...NOTHING, entities: [{ ...entity, rest: [...entity.rest, ...path] }] };
      case 'missing':
        return { ...NOTHING, entities: [entity] };
      default:
        return entity satisfies never;
    }
  }

  private place(from: PythonModule, level: number, dotted: string): Entity {
    if (level === 0) return this.absolute(from, dotted);
    const folders = from.path.split('/').slice(0, -1);
    const folder = folders.slice(0, folders.length - (level - 1));
    const base = [...folder, ...(dotted === '' ? [] : dotted.split('.'))].join('/');
    const found = this.index.byPath.get(`${base}/__init__.py`) ?? this.index.byPath.get(`${base}.py`);
    if (found) return { kind: 'module', module: found };
    const outer = from.isPackage ? from.name : from.name.split('.').slice(0, -1).join('.');
    const parts = outer.split('.');
    const name = [...parts.slice(0, parts.length - (level - 1)), ...(dotted === '' ? [] : [dotted])].join('.');
    return this.absolute(from, name);
  }

  private absolute(from: PythonModule | undefined, dotted: string): Entity {
    const same = this.index.byName.get(dotted);
    const found = same?.find(({ root }) => root === from?.root) ?? same?.[0];
    if (found && found !== from) return { kind: 'module', module: found };
    const beside = from && this.beside(from, dotted);
    if (beside) return { kind: 'module', module: beside };
    if (found) return { kind: 'module', module: found };
    return { kind: this.namespaces.has(dotted) ? 'namespace' : 'external', name: dotted };
  }

  /** A script finds the modules of its own folder. */
  private beside(from: PythonModule, dotted: string): PythonModule | undefined {
    if (from.name.includes('.') && from.role === 'source') return undefined;
    const folder = from.path.split('/').slice(0, -1);
    const base = [...folder, ...dotted.split('.')].join('/');
    return this.index.byPath.get(`${base}.py`) ?? this.index.byPath.get(`${base}/__init__.py`);
  }

  private get namespaces(): ReadonlySet<string> {
    this.namespaceNames ??= new Set(
      [...this.index.byName.keys()].flatMap((name) => {
        const parts = name.split('.').slice(0, -1);
        return parts.map((_, at) => parts.slice(0, at + 1).join('.'));
      }),
    );
    return this.namespaceNames;
  }

  private namespaceNames: Set<string> | undefined;

  /** Star imports of a module that bring a name, or may: those from elsewhere when nothing else is known of it. */
  private starsWith(module: PythonModule, name: string): Binding[] {
    const stars = module.bindings.get('*') ?? [];
    if (stars.length === 0) return [];
    return stars.filter((star) => {
      const from = this.moduleNamed(module, star.imported!.level, star.imported!.module);
      return from !== undefined && from !== module && this.exportsOf(from).includes(name);
    });
  }

  private listed(module: PythonModule): string[] | undefined {
    const namesOf = (expression: Expression): readonly string[] | undefined => {
      // `submodule.__all__`, and a list that is kept under another name.
      const path: string[] = [];
      let at = expression;
      while (at.kind === 'attribute') {
        path.unshift(at.name);
        at = at.object;
      }
      if (at.kind !== 'name' || path.at(-1) !== '__all__') return undefined;
      const [entity] = this.resolve(module, at.id, path.slice(0, -1)).entities;
      return entity?.kind === 'module' ? this.exportsOf(entity.module) : undefined;
    };
    return listedNames(module.syntax.body, module.bindings, namesOf);
  }

  private publicNames(module: PythonModule): string[] {
    const own = [...module.bindings.keys()].filter((name) => name !== '*' && !name.startsWith('_'));
    const starred = (module.bindings.get('*') ?? []).flatMap(({ imported }) => {
      const from = this.moduleNamed(module, imported!.level, imported!.module);
      return from ? this.exportsOf(from) : [];
    });
    return [...new Set([...own, ...starred])];
  }
}

function merged(resolutions: readonly Resolution[]): Resolution {
  const [only] = resolutions;
  if (only && resolutions.length === 1) return only;
  return {
    entities: resolutions.flatMap(({ entities }) => entities),
    through: resolutions.flatMap(({ through }) => through),
    submodules: resolutions.flatMap(({ submodules }) => submodules),
  };
}

function continued(resolution: Resolution, further: (entity: Entity) => Resolution): Resolution {
  const reached = merged(resolution.entities.map(further));
  return {
    entities: reached.entities,
    through: [...resolution.through, ...reached.through],
    submodules: [...resolution.submodules, ...reached.submodules],
  };
}
