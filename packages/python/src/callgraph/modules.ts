import type { Expression, ModuleSyntax, Statement } from '../syntax';
import { type Scopes, scopesOf } from './scopes';
import type { ModuleValue, SourceModule } from './values';

/** A file of the program under the dotted name that it is imported by. */
export interface ModuleInput {
  readonly name: string;
  readonly syntax: ModuleSyntax;
}

export interface Module extends SourceModule {
  readonly syntax: ModuleSyntax;
  readonly value: ModuleValue;
  readonly isPackage: boolean;
  readonly scopes: Scopes;
  /** Names that some function or inner scope may rebind from where it stands. */
  readonly rebound: ReadonlySet<string>;
  state: 'unread' | 'read';
}

/** The `__init__` of the folder itself that is read: its modules import each other by dots alone. */
const ROOT = '__init__';

/** The dotted name of a file, relative to the folder that is read; a `src` folder that is no package does not count. */
export function moduleNameOf(path: string, paths: ReadonlySet<string>): string {
  const parts = path.replace(/\.pyi?$/, '').split('/');
  if (parts.at(-1) === '__init__') parts.pop();
  if (parts.length > 1 && parts[0] === 'src' && !paths.has('src/__init__.py')) parts.shift();
  return parts.length === 0 ? ROOT : parts.join('.');
}

/** The modules given, by name, and what an import statement in one of them means. */
export class ModuleTable {
  private readonly byName = new Map<string, Module>();
  private readonly packages = new Set<string>();
  /** Top folders that are no packages: what is in them may be imported without their name. */
  private readonly roots: readonly string[];

  constructor(inputs: readonly ModuleInput[]) {
    const folders = new Set(inputs.flatMap(({ name }) => (name.includes('.') ? name.split('.', 1) : [])));
    this.roots = [...folders].filter((folder) => !inputs.some(({ name }) => name === folder));
    for (const { name, syntax } of inputs) {
      if (this.byName.has(name)) continue;
      this.byName.set(name, moduleOf(name, syntax));
      for (let at = name.indexOf('.'); at > 0; at = name.indexOf('.', at + 1)) this.packages.add(name.slice(0, at));
    }
  }

  /** Whether some module's name begins with this one and a dot. */
  hasUnder(name: string): boolean {
    return this.packages.has(name);
  }

  get(name: string): Module | undefined {
    return this.byName.get(name);
  }

  /** The module of this name in a package. */
  member(parent: string, name: string): Module | undefined {
    return this.byName.get(parent === ROOT ? name : `${parent}.${name}`);
  }

  all(): IterableIterator<Module> {
    return this.byName.values();
  }

  /** The module that `import name` means in `from`: scripts also find what lies beside them. */
  find(name: string, from: Module): Module | undefined {
    const found = this.byName.get(name);
    if (found) return found;
    for (const root of this.roots) {
      const below = this.byName.get(`${root}.${name}`);
      if (below) return below;
    }
    const folder = from.name.split('.').slice(0, from.isPackage ? undefined : -1);
    return folder.length > 0 ? this.byName.get([...folder, name].join('.')) : undefined;
  }

  /** The absolute name behind leading dots: one is the module's own package. */
  absolute(level: number, module: string, from: Module): string {
    if (level === 0) return module;
    const parts = from.name === ROOT ? [] : from.name.split('.');
    const kept = parts.slice(0, Math.max(0, parts.length - level + (from.isPackage && from.name !== ROOT ? 1 : 0)));
    return [...kept, ...(module === '' ? [] : [module])].join('.') || ROOT;
  }

  /** Names that `from module import *` binds: `__all__` where it can be read, else those without an underscore. */
  exportedNames(module: Module, seen: Set<Module> = new Set()): Set<string> {
    if (seen.has(module)) return new Set();
    seen.add(module);
    const listed = allOf(module.syntax.body);
    if (listed) return new Set(listed);
    const names = new Set([...module.scopes.get('module')!.bound].filter((name) => !name.startsWith('_')));
    for (const { level, module: target } of starImports(module.syntax.body)) {
      const found = this.find(this.absolute(level, target, module), module);
      if (found) for (const name of this.exportedNames(found, seen)) names.add(name);
    }
    return names;
  }
}

function moduleOf(name: string, syntax: ModuleSyntax): Module {
  const scopes = scopesOf(syntax.body);
  const rebound = new Set<string>();
  for (const { globals, nonlocals } of scopes.values())
    for (const each of [...globals, ...nonlocals]) rebound.add(each);
  return {
    name,
    path: syntax.path,
    text: syntax.text,
    syntax,
    value: { kind: 'module', name, fields: new Map() },
    isPackage: /(^|\/)__init__\.pyi?$/.test(syntax.path),
    scopes,
    rebound,
    state: 'unread',
  };
}

function allOf(body: readonly Statement[]): string[] | undefined {
  let names: string[] | undefined;
  for (const statement of body) {
    if (statement.kind === 'assign' && statement.targets.some(isAll)) names = textsIn(statement.value);
    else if (statement.kind === 'annotatedAssign' && isAll(statement.target) && statement.value)
      names = textsIn(statement.value);
    else if (statement.kind === 'augmentedAssign' && isAll(statement.target)) {
      const more = textsIn(statement.value);
      names = names && more ? [...names, ...more] : undefined;
    }
  }
  return names;
}

function isAll(target: Expression): boolean {
  return target.kind === 'name' && target.id === '__all__';
}

function textsIn(value: Expression): string[] | undefined {
  if (value.kind !== 'list' && value.kind !== 'tuple') return undefined;
  const texts = value.elements.flatMap((each) => (each.kind === 'string' ? [each.value] : []));
  return texts.length === value.elements.length ? texts : undefined;
}

function starImports(body: readonly Statement[]): { level: number; module: string }[] {
  return body.flatMap((each) => {
    if (each.kind === 'importFrom') return each.names.some(({ name }) => name === '*') ? [each] : [];
    if (each.kind === 'try') return starImports([...each.body, ...each.handlers.flatMap(({ body }) => body)]);
    return each.kind === 'if' ? starImports([...each.body, ...each.orElse]) : [];
  });
}
