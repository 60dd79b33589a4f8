import {
  type CallExpression,
  type ClassStatement,
  type Expression,
  type FunctionStatement,
  type PythonModule,
  type Resolver,
  type Scope,
  type Statement,
  type Unit,
  walkScopes,
} from '../syntax';
import { ChangedNames, type GlobalKey } from './changed-names';

/** What a call changes besides its own variables. */
interface Summary {
  readonly globals: ReadonlySet<GlobalKey>;
  /** Positions of the parameters whose values it changes; 0 is `self` in a method. */
  readonly parameters: ReadonlySet<number>;
}

const NO_CHANGE: Summary = { globals: new Set(), parameters: new Set() };

const MUTATORS = new Set(
  'append extend insert remove pop popitem clear update setdefault add discard sort reverse appendleft extendleft popleft rotate register connect subscribe __setitem__ __delitem__ __setattr__ difference_update intersection_update symmetric_difference_update move_to_end'.split(
    ' ',
  ),
);
/** Methods that change nothing that a slice could hold, called for what they do elsewhere. */
const OUTWARD = new Set(
  'debug info warning warn error exception critical log print write writelines flush close get items keys values copy format join encode decode strip split startswith endswith index count match search sub compile'.split(
    ' ',
  ),
);
/** Functions of the standard library that change their first argument. */
const CHANGERS = new Set(
  'setattr delattr heapify heappush heappop shuffle insort insort_left insort_right update_wrapper'.split(' '),
);
/**
 * What statements and functions change: assignments to attributes and elements, methods that change their object,
 * `global`, and all that through calls of the repository's own functions and methods.
 */
export class Mutations {
  private readonly summaries = new Map<Statement, Summary>();

  constructor(private readonly resolver: Resolver) {}

  /** Names that a top-level statement changes while its module is imported. */
  ofUnit(module: PythonModule, unit: Unit): ReadonlySet<GlobalKey> {
    const found = new ChangedNames(module, this.resolver);
    const eager = (scope: Scope) => !scope.lazy;
    walkScopes(unit.statement, {
      statement: (statement, scope) => {
        if (!eager(scope)) return;
        this.statement(statement, scope, found);
        if (statement.kind === 'expression') this.unknownMethod(statement.value, scope, found);
        if (statement.kind === 'augmentedAssign' && statement.target.kind === 'name' && scope.kind === 'module')
          found.root(statement.target, scope);
        if (statement.kind === 'function' || statement.kind === 'class') this.decorated(statement, scope, found);
        if (statement.kind === 'class') this.subclassed(statement, scope, found);
      },
      expression: (expression, scope) => {
        if (eager(scope) && expression.kind === 'call') this.call(expression, scope, found);
      },
    });
    return found.globals;
  }

  private ofFunction(module: PythonModule, statement: FunctionStatement): Summary {
    const known = this.summaries.get(statement);
    if (known) return known;
    // A function that calls itself changes nothing more by that.
    this.summaries.set(statement, NO_CHANGE);
    const found = new ChangedNames(module, this.resolver, statement);
    walkScopes(statement, {
      statement: (each, scope) => {
        if (each !== statement) this.statement(each, scope, found);
      },
      expression: (expression, scope) => {
        if (expression.kind === 'call' && scope.lazy) this.call(expression, scope, found);
      },
    });
    const summary = { globals: found.globals, parameters: found.parameters };
    this.summaries.set(statement, summary);
    return summary;
  }

  private statement(statement: Statement, scope: Scope, found: ChangedNames): void {
    for (const target of targetsOf(statement)) {
      if (target.kind === 'name') {
        if (scope.globals.has(target.id)) found.root(target, scope);
      } else for (const each of leavesOf(target)) if (each.kind !== 'name') found.root(each, scope);
    }
  }

  private call(call: CallExpression, scope: Scope, found: ChangedNames): void {
    const { callee } = call;
    const callees = found.calleesOf(callee, scope);
    const positional = call.arguments.filter(({ name, spread }) => name === undefined && spread === undefined);
    for (const each of callees) {
      const summary = this.ofFunction(each.module, each.statement);
      for (const key of summary.globals) found.globals.add(key);
      for (const position of summary.parameters) {
        const given = position < each.bound ? each.receiver : positional[position - each.bound]?.value;
        const named = call.arguments.find(
          ({ name }) => name !== undefined && name === each.statement.parameters[position]?.name,
        );
        const value = named?.value ?? given;
        if (value) found.root(value, scope);
      }
    }
    if (callees.length > 0) return;
    if (callee.kind === 'attribute' && MUTATORS.has(callee.name)) {
      found.root(callee.object, scope);
      // `Mapping.register(C)` changes what `isinstance` says of `C`.
      if (callee.name === 'register') for (const { value } of call.arguments) found.root(value, scope);
    }
    const name = callee.kind === 'name' ? callee.id : callee.kind === 'attribute' ? callee.name : '';
    if (CHANGERS.has(name) && call.arguments[0]) found.root(call.arguments[0].value, scope);
  }

  /** A call that stands alone is made for what it changes: of an unknown method that is its object. */
  private unknownMethod(expression: Expression, scope: Scope, found: ChangedNames): void {
    if (expression.kind !== 'call' || expression.callee.kind !== 'attribute') return;
    const { object, name } = expression.callee;
    if (OUTWARD.has(name) || found.calleesOf(expression.callee, scope).length > 0) return;
    found.root(object, scope);
  }

  private decorated(statement: FunctionStatement | ClassStatement, scope: Scope, found: ChangedNames): void {
    for (const decorator of statement.decorators) {
      const applied = decorator.kind === 'call' ? decorator.callee : decorator;
      if (decorator.kind !== 'call')
        for (const each of found.calleesOf(applied, scope))
          for (const key of this.ofFunction(each.module, each.statement).globals) found.globals.add(key);
      // `@handlers.register`, `@app.route('/')`: the object keeps what it decorates.
      if (applied.kind === 'attribute' && found.calleesOf(applied, scope).length === 0) found.keeper(applied, scope);
    }
  }

  /** A class statement calls its base's `__init_subclass__` and its metaclass. */
  private subclassed(statement: ClassStatement, scope: Scope, found: ChangedNames): void {
    for (const { value, name } of statement.arguments) {
      const hooks = name === 'metaclass' ? ['__init__', '__new__'] : ['__init_subclass__'];
      for (const { module, methods } of found.classesOf(value, scope))
        for (const hook of hooks) {
          const method = methods.get(hook);
          if (method) for (const key of this.ofFunction(module, method).globals) found.globals.add(key);
        }
    }
  }
}

function targetsOf(statement: Statement): readonly Expression[] {
  switch (statement.kind) {
    case 'assign':
    case 'delete':
      return statement.targets;
    case 'augmentedAssign':
    case 'for':
      return [statement.target];
    case 'annotatedAssign':
      return statement.value ? [statement.target] : [];
    default:
      return [];
  }
}

function leavesOf(target: Expression): Expression[] {
  if (target.kind === 'tuple' || target.kind === 'list') return target.elements.flatMap(leavesOf);
  return target.kind === 'starred' ? leavesOf(target.value) : [target];
}
