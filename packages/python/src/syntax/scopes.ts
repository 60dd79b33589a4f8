import { type ImportedFrom, namesBoundBy } from './bindings';
import type { Argument, Expression, FunctionStatement, Parameter, Statement } from './syntax';
import { blocksOf, childrenOf, expressionsIn } from './walk';

/** A use of a name that a top-level statement takes from its module, or from an import inside of a function. */
export interface Use {
  readonly name: string;
  /** Attributes read from it, outermost last: `a.b.c` is `a` with `['b', 'c']`. */
  readonly path: readonly string[];
  readonly node: Expression;
  /** Runs only when something is called: in the body of a function or a lambda, or in a generator. */
  readonly lazy: boolean;
  readonly place: 'code' | 'annotation' | 'decorator';
  /** Set where a function imported the name itself. */
  readonly imported: ImportedFrom | undefined;
}

type ScopeKind = 'module' | 'function' | 'class' | 'comprehension' | 'types';

/** A scope of CPython's symbol table. What it does not hold is looked for further out; class scopes only by themselves. */
export interface Scope {
  readonly kind: ScopeKind;
  readonly parent: Scope | undefined;
  readonly names: Set<string>;
  /** Declared `global`. */
  readonly globals: Set<string>;
  readonly imports: Map<string, ImportedFrom>;
  readonly parameters: readonly string[];
  readonly lazy: boolean;
}

/** Where a name is found: the module, or a scope inside. */
export function scopeOf(name: string, from: Scope): Scope {
  let scope = from;
  let inClass = true;
  for (; scope.parent; scope = scope.parent) {
    if (scope.kind !== 'class' || inClass) {
      if (scope.globals.has(name)) return outermost(scope);
      if (scope.names.has(name)) return scope;
    }
    // Type parameters and annotations of a class see what it holds; its methods do not.
    inClass &&= scope.kind === 'types';
  }
  return scope;
}

function outermost(scope: Scope): Scope {
  return scope.parent ? outermost(scope.parent) : scope;
}

export interface ScopeVisitor {
  /** Every statement, in its scope, before what is inside of it. */
  statement?(statement: Statement, scope: Scope): void;
  /** Every expression, in the scope that evaluates it, before what is inside of it. */
  expression?(expression: Expression, scope: Scope, place: Use['place']): void;
}

/** Walks a module's top-level statement with the scopes that its parts are evaluated in. */
export function walkScopes(statement: Statement, visitor: ScopeVisitor): void {
  new ScopeWalk(visitor).statement(statement, MODULE);
}

const MODULE: Scope = {
  kind: 'module',
  parent: undefined,
  names: new Set(),
  globals: new Set(),
  imports: new Map(),
  parameters: [],
  lazy: false,
};

class ScopeWalk {
  constructor(private readonly visitor: ScopeVisitor) {}

  statement(statement: Statement, scope: Scope): void {
    this.visitor.statement?.(statement, scope);
    switch (statement.kind) {
      case 'function':
        for (const each of statement.decorators) this.expression(each, scope, 'decorator');
        this.function(statement, inner(scope, 'types', statement.typeParameters.map(nameOf)));
        break;
      case 'class': {
        for (const each of statement.decorators) this.expression(each, scope, 'decorator');
        const around = inner(scope, 'types', statement.typeParameters.map(nameOf));
        for (const { value } of statement.arguments) this.expression(value, around, 'code');
        const body = inner(around, 'class', []);
        for (const each of statement.body) this.statement(each, body);
        break;
      }
      case 'annotatedAssign':
        if (statement.value) this.expression(statement.value, scope, 'code');
        this.target(statement.target, scope);
        // Annotations of local variables are never evaluated.
        if (scope.kind !== 'function') this.expression(statement.annotation, scope, 'annotation');
        break;
      default: {
        const targets = targetsIn(statement);
        for (const each of expressionsIn(statement)) {
          if (targets.includes(each)) this.target(each, scope);
          else this.expression(each, scope, 'code');
        }
        // Loop variables and what `as` names are there in the block.
        if (scope.kind === 'class') declare([statement], scope);
        for (const block of blocksOf(statement)) for (const each of block) this.statement(each, scope);
      }
    }
    // A class body runs from top to bottom: a name is the class's from its first assignment on.
    if (scope.kind === 'class') declare([statement], scope);
  }

  /** A name that is assigned is not read; what an attribute or an element belongs to is. */
  private target(expression: Expression, scope: Scope): void {
    if (expression.kind === 'tuple' || expression.kind === 'list')
      for (const each of expression.elements) this.target(each, scope);
    else if (expression.kind === 'starred') this.target(expression.value, scope);
    else if (expression.kind !== 'name') this.expression(expression, scope, 'code');
  }

  private function(statement: FunctionStatement, scope: Scope): void {
    for (const each of statement.parameters) {
      if (each.default) this.expression(each.default, scope, 'code');
      if (each.annotation) this.expression(each.annotation, scope, 'annotation');
    }
    if (statement.returns) this.expression(statement.returns, scope, 'annotation');
    const body = inner(scope, 'function', statement.parameters.map(nameOf), true);
    declare(statement.body, body);
    for (const each of statement.body) this.statement(each, body);
  }

  private expression(expression: Expression, scope: Scope, place: Use['place']): void {
    this.visitor.expression?.(expression, scope, place);
    if (expression.kind === 'lambda') {
      for (const each of expression.parameters) if (each.default) this.expression(each.default, scope, place);
      const body = inner(scope, 'function', expression.parameters.map(nameOf), true);
      for (const name of walrusNames(expression.body)) body.names.add(name);
      this.expression(expression.body, body, place);
    } else if (expression.kind === 'comprehension') this.comprehension(expression, scope, place);
    else if (expression.kind === 'walrus') this.expression(expression.value, scope, place);
    else for (const each of childrenOf(expression)) this.expression(each, scope, place);
  }

  private comprehension(
    { clauses, key, element, form }: Expression & { kind: 'comprehension' },
    scope: Scope,
    place: Use['place'],
  ): void {
    const [first] = clauses;
    // The first iterable is evaluated where the comprehension stands.
    if (first) this.expression(first.iterable, scope, place);
    const body = inner(scope, 'comprehension', [], scope.lazy || form === 'generator');
    for (const { target } of clauses) for (const name of targetNames(target)) body.names.add(name);
    for (const clause of clauses) {
      if (clause !== first) this.expression(clause.iterable, body, place);
      this.target(clause.target, body);
      for (const each of clause.conditions) this.expression(each, body, place);
    }
    if (key) this.expression(key, body, place);
    this.expression(element, body, place);
  }
}

/** What a statement assigns to; `+=` reads its target as well, and so is not among them. */
function targetsIn(statement: Statement): readonly Expression[] {
  switch (statement.kind) {
    case 'assign':
    case 'delete':
      return statement.targets;
    case 'for':
      return [statement.target];
    case 'with':
      return statement.items.flatMap(({ target }) => (target ? [target] : []));
    default:
      return [];
  }
}

function nameOf({ name }: Pick<Parameter | Argument, 'name'>): string {
  return name ?? '';
}

function inner(parent: Scope, kind: ScopeKind, parameters: readonly string[], lazy = parent.lazy): Scope {
  const names = new Set(parameters);
  return { kind, parent, names, globals: new Set(), imports: new Map(), parameters, lazy };
}

/** What a block binds, as local names: known before the block runs, as CPython's compiler knows it. */
function declare(block: readonly Statement[], scope: Scope): void {
  for (const statement of block) {
    for (const { name, imported } of namesBoundBy(statement)) {
      if (imported) scope.imports.set(name, imported);
      scope.names.add(name);
    }
    augmented(statement, scope);
  }
  for (const statement of block) declareOuter(statement, scope);
}

function declareOuter(statement: Statement, scope: Scope): void {
  if (statement.kind === 'global') for (const name of statement.names) scope.globals.add(name);
  if (statement.kind === 'nonlocal') for (const name of statement.names) scope.names.delete(name);
  if (statement.kind === 'function' || statement.kind === 'class') return;
  for (const block of blocksOf(statement)) for (const each of block) declareOuter(each, scope);
}

/** `x += 1` makes `x` local although it binds nothing new. */
function augmented(statement: Statement, scope: Scope): void {
  if (statement.kind === 'augmentedAssign' && statement.target.kind === 'name') scope.names.add(statement.target.id);
  if (statement.kind === 'function' || statement.kind === 'class') return;
  for (const block of blocksOf(statement)) for (const each of block) augmented(each, scope);
}

function walrusNames(expression: Expression): string[] {
  if (expression.kind === 'lambda') return [];
  const own = expression.kind === 'walrus' ? [expression.target.id] : [];
  return [...own, ...childrenOf(expression).flatMap(walrusNames)];
}

function targetNames(target: Expression): string[] {
  return target.kind === 'name' ? [target.id] : childrenOf(target).flatMap(targetNames);
}

/** Names of its module that a top-level statement uses, in the order in which they are met. */
export function usesIn(statement: Statement): Use[] {
  const uses: Use[] = [];
  const taken = new Set<Expression>();
  walkScopes(statement, {
    statement: (each, scope) => {
      // A function that rebinds a global needs it to be there.
      if (each.kind !== 'global') return;
      for (const name of each.names)
        uses.push({ name, path: [], node: nameNode(name, each), lazy: scope.lazy, place: 'code', imported: undefined });
    },
    expression: (node, scope, place) => {
      if (taken.has(node) || (node.kind !== 'name' && node.kind !== 'attribute')) return;
      const path: string[] = [];
      let at: Expression = node;
      while (at.kind === 'attribute') {
        path.unshift(at.name);
        at = at.object;
        taken.add(at);
      }
      if (at.kind !== 'name') {
        // What an attribute is read from is met by itself.
        taken.delete(at);
        return;
      }
      const found = scopeOf(at.id, scope);
      const imported = found.imports.get(at.id);
      if (found.kind === 'module' || imported)
        uses.push({ name: at.id, path, node, lazy: scope.lazy, place, imported });
    },
  });
  return uses;
}

function nameNode(id: string, { start, end, line, endLine }: Statement): Expression {
  return { kind: 'name', id, start, end, line, endLine };
}
