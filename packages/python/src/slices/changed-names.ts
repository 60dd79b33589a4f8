import {
  type ClassStatement,
  type Expression,
  type FunctionStatement,
  type PythonModule,
  type Resolver,
  type Scope,
  type Statement,
  scopeOf,
} from '../syntax';

/** A name of a module, told apart from the same name elsewhere. */
export type GlobalKey = string;

export function keyOf(module: PythonModule, name: string): GlobalKey {
  return `${module.path}:${name}`;
}

/** Filling a cache changes nothing that anyone can see. */
const CACHE = /cache|memo/i;

interface Callee {
  readonly module: PythonModule;
  readonly statement: FunctionStatement;
  /** Parameters that are given before the first argument of the call. */
  readonly bound: number;
  readonly receiver: Expression | undefined;
}

interface KnownClass {
  readonly module: PythonModule;
  readonly methods: ReadonlyMap<string, FunctionStatement>;
}

/** What was found to be changed, seen from one function or one top-level statement. */
export class ChangedNames {
  readonly globals = new Set<GlobalKey>();
  readonly parameters = new Set<number>();

  constructor(
    private readonly module: PythonModule,
    private readonly resolver: Resolver,
    private readonly statement?: FunctionStatement,
  ) {}

  /** Notes what an expression is a part of: the name that a chain of attributes, elements and calls starts with. */
  root(expression: Expression, scope: Scope): void {
    const { name, path } = rootOf(expression);
    if (name === undefined) return;
    const holder = scopeOf(name, scope);
    if (holder.kind === 'module') {
      for (const key of this.keys(name, path)) this.globals.add(key);
      return;
    }
    const imported = holder.imports.get(name);
    if (imported) {
      for (const entity of this.resolver.imported(this.module, imported, path).entities)
        if (entity.kind === 'definition') this.add(keyOf(entity.module, entity.binding.name), entity.binding.name);
      return;
    }
    const position = this.statement?.parameters.findIndex((each) => each.name === name) ?? -1;
    // A parameter of this function, not of one inside of it.
    if (position >= 0 && holder.parent?.parent?.kind === 'module') this.parameters.add(position);
  }

  keeper(applied: Expression, scope: Scope): void {
    const { name, path } = rootOf(applied);
    if (name === undefined || scopeOf(name, scope).kind !== 'module') return;
    for (const key of this.keys(name, path)) this.globals.add(key);
  }

  private keys(name: string, path: readonly string[]): GlobalKey[] {
    return this.resolver
      .resolve(this.module, name, path)
      .entities.flatMap((entity) =>
        entity.kind === 'definition' && !CACHE.test(entity.binding.name)
          ? [keyOf(entity.module, entity.binding.name)]
          : [],
      );
  }

  private add(key: GlobalKey, name: string): void {
    if (!CACHE.test(name)) this.globals.add(key);
  }

  /** The repository's functions that a call of this expression runs, where that can be read from names alone. */
  calleesOf(callee: Expression, scope: Scope): Callee[] {
    const { name, path, direct } = rootOf(callee);
    if (name === undefined || !direct) return [];
    const holder = scopeOf(name, scope);
    const imported = holder.imports.get(name);
    if (holder.kind !== 'module' && !imported) return [];
    const { entities } = imported
      ? this.resolver.imported(this.module, imported, path)
      : this.resolver.resolve(this.module, name, path);
    return entities.flatMap((entity): Callee[] => {
      if (entity.kind !== 'definition') return [];
      const { module, binding, rest } = entity;
      const { statement } = binding;
      if (statement.kind === 'function' && rest.length === 0)
        return [{ module, statement, bound: 0, receiver: undefined }];
      if (statement.kind === 'class') return this.method(module, statement, rest, callee, 'class');
      const type = rest.length === 1 ? this.classOf(module, statement) : undefined;
      return type ? this.method(type.module, type.statement, rest, callee, 'instance') : [];
    });
  }

  private method(
    module: PythonModule,
    statement: ClassStatement,
    rest: readonly string[],
    callee: Expression,
    on: 'class' | 'instance',
  ): Callee[] {
    if (rest.length > 1) return [];
    const name = rest[0] ?? '__init__';
    const method = methodsOf(statement).get(name);
    if (!method) return [];
    const receiver = callee.kind === 'attribute' ? callee.object : undefined;
    const isStatic = method.decorators.some((each) => each.kind === 'name' && each.id === 'staticmethod');
    const isClass = method.decorators.some((each) => each.kind === 'name' && each.id === 'classmethod');
    const bound = isStatic || (on === 'class' && rest.length === 1 && !isClass) ? 0 : 1;
    return [{ module, statement: method, bound, receiver: rest.length === 0 ? undefined : receiver }];
  }

  /** The class of the repository that a global is an instance of: `registry = Registry()`. */
  private classOf(
    module: PythonModule,
    statement: Statement,
  ): { module: PythonModule; statement: ClassStatement } | undefined {
    const value = statement.kind === 'assign' || statement.kind === 'annotatedAssign' ? statement.value : undefined;
    if (value?.kind !== 'call') return undefined;
    const { name, path, direct } = rootOf(value.callee);
    if (name === undefined || !direct) return undefined;
    for (const entity of this.resolver.resolve(module, name, path).entities)
      if (entity.kind === 'definition' && entity.binding.statement.kind === 'class' && entity.rest.length === 0)
        return { module: entity.module, statement: entity.binding.statement };
    return undefined;
  }

  classesOf(expression: Expression, scope: Scope): KnownClass[] {
    const { name, path, direct } = rootOf(expression);
    if (name === undefined || !direct || scopeOf(name, scope).kind !== 'module') return [];
    return this.resolver.resolve(this.module, name, path).entities.flatMap((entity) => {
      if (entity.kind !== 'definition' || entity.binding.statement.kind !== 'class') return [];
      return [{ module: entity.module, methods: methodsOf(entity.binding.statement) }];
    });
  }
}

function methodsOf(statement: ClassStatement): Map<string, FunctionStatement> {
  return new Map(statement.body.flatMap((each) => (each.kind === 'function' ? [[each.name, each] as const] : [])));
}

/** The name that an expression starts with. `direct` where only attributes lie between. */
function rootOf(expression: Expression): { name: string | undefined; path: string[]; direct: boolean } {
  let path: string[] = [];
  let direct = true;
  for (let at = expression; ; ) {
    if (at.kind === 'name') return { name: at.id, path, direct };
    if (at.kind === 'attribute') {
      path.unshift(at.name);
      at = at.object;
    } else if (at.kind === 'subscript') {
      path = [];
      direct = false;
      at = at.object;
    } else if (at.kind === 'call' && at.callee.kind === 'attribute') {
      // `table.setdefault(key, []).append(x)` changes the table.
      path = [];
      direct = false;
      at = at.callee.object;
    } else return { name: undefined, path, direct };
  }
}
