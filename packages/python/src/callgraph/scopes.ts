import {
  blocksOf,
  type ClassStatement,
  childrenOf,
  type Expression,
  expressionsIn,
  type FunctionStatement,
  type LambdaExpression,
  namesInPattern,
  namesInTarget,
  type Parameter,
  type Statement,
} from '../syntax';

/** Which names a scope binds, as CPython's symbol table decides it: by what stands in it, not by what runs. */
export interface Scope {
  readonly bound: Set<string>;
  /** Targets of its comprehensions: lambdas inside see them. */
  readonly inner: Set<string>;
  readonly globals: Set<string>;
  readonly nonlocals: Set<string>;
  /** Names that scopes inside read or write here or further out. */
  readonly wantedInside: Set<string>;
  /** Names read in the scope itself. */
  readonly read: Set<string>;
  yields: boolean;
}

type Scoped = FunctionStatement | LambdaExpression | ClassStatement;
export type Scopes = ReadonlyMap<Scoped | 'module', Scope>;

/** The scopes of a module, all in one pass. */
export function scopesOf(body: readonly Statement[]): Scopes {
  const scopes = new Map<Scoped | 'module', Scope>();
  new Reader(scopes, 'module').block(body);
  return scopes;
}

/** Names that the statements of a block bind, definitions inside of them left out. */
export function namesBoundIn(block: readonly Statement[]): Set<string> {
  const reader = new Reader(new Map(), 'module', false);
  reader.block(block);
  return reader.scope.bound;
}

class Reader {
  readonly scope: Scope = {
    bound: new Set(),
    inner: new Set(),
    globals: new Set(),
    nonlocals: new Set(),
    wantedInside: new Set(),
    read: new Set(),
    yields: false,
  };

  constructor(
    private readonly scopes: Map<Scoped | 'module', Scope>,
    key: Scoped | 'module',
    private readonly deep = true,
  ) {
    scopes.set(key, this.scope);
  }

  block(block: readonly Statement[]): void {
    for (const statement of block) this.statement(statement);
  }

  private statement(statement: Statement): void {
    for (const each of expressionsIn(statement)) this.expression(each);
    switch (statement.kind) {
      case 'function':
        this.scope.bound.add(statement.name);
        this.inside(statement, statement.parameters, (reader) => reader.block(statement.body));
        return;
      case 'class':
        this.scope.bound.add(statement.name);
        this.inside(statement, [], (reader) => reader.block(statement.body));
        return;
      case 'assign':
        for (const target of statement.targets) this.target(target);
        break;
      case 'augmentedAssign':
      case 'annotatedAssign':
      case 'for':
        this.target(statement.target);
        break;
      case 'with':
        for (const { target } of statement.items) if (target) this.target(target);
        break;
      case 'delete':
        for (const target of statement.targets) this.target(target);
        break;
      case 'typeAlias':
        this.scope.bound.add(statement.name);
        break;
      case 'import':
        for (const { name, alias } of statement.names) this.scope.bound.add(alias ?? name.split('.', 1)[0]!);
        break;
      case 'importFrom':
        for (const { name, alias } of statement.names) if (name !== '*') this.scope.bound.add(alias ?? name);
        break;
      case 'try':
        for (const { name } of statement.handlers) if (name) this.scope.bound.add(name);
        break;
      case 'match':
        for (const { pattern } of statement.cases)
          for (const name of namesInPattern(pattern)) this.scope.bound.add(name);
        break;
      case 'global':
        for (const name of statement.names) this.scope.globals.add(name);
        break;
      case 'nonlocal':
        for (const name of statement.names) this.scope.nonlocals.add(name);
        break;
    }
    for (const block of blocksOf(statement)) this.block(block);
  }

  private target(target: Expression): void {
    for (const name of namesInTarget(target)) this.scope.bound.add(name);
  }

  private expression(expression: Expression): void {
    switch (expression.kind) {
      case 'name':
        this.scope.read.add(expression.id);
        return;
      case 'lambda':
        for (const { default: value } of expression.parameters) if (value) this.expression(value);
        this.inside(expression, expression.parameters, (reader) => reader.expression(expression.body));
        return;
      case 'walrus':
        this.scope.bound.add(expression.target.id);
        break;
      case 'comprehension':
        for (const { target } of expression.clauses)
          for (const name of namesInTarget(target)) this.scope.inner.add(name);
        break;
      case 'yield':
      case 'yieldFrom':
        this.scope.yields = true;
        break;
    }
    for (const each of childrenOf(expression)) this.expression(each);
  }

  private inside(key: Scoped, parameters: readonly Parameter[], read: (reader: Reader) => void): void {
    if (!this.deep) return;
    const reader = new Reader(this.scopes, key);
    for (const { name } of parameters) reader.scope.bound.add(name);
    read(reader);
    const { bound, globals, nonlocals, wantedInside, read: own } = reader.scope;
    for (const name of [...globals, ...nonlocals]) bound.delete(name);
    const isClass = key.kind === 'class';
    for (const name of own) if (isClass || !bound.has(name)) this.scope.wantedInside.add(name);
    for (const name of nonlocals) this.scope.wantedInside.add(name);
    for (const name of globals) this.scope.wantedInside.add(name);
    // What a class binds is not seen by the functions in it.
    for (const name of wantedInside) if (isClass || !bound.has(name)) this.scope.wantedInside.add(name);
  }
}
