import type { ClassStatement, Expression, FunctionStatement, LambdaExpression, Parameter, Statement } from '../syntax';
import { define, Frame } from './frame';
import { keepsItsArgument } from './library';
import { call, plain } from './objects';
import {
  type ClassValue,
  type ContainerValue,
  type FunctionValue,
  type ParameterSlot,
  Slot,
  type Value,
} from './values';

/** A `def`: defaults and decorators run here and now, the body when everything around it is known. */
export function defineFunction(frame: Frame, statement: FunctionStatement): void {
  const { analysis } = frame;
  const name = `${frame.name}.${statement.name}`;
  define(analysis, name, 'function', frame.module.path, statement);
  const decorators = statement.decorators.map((each) => ({ slot: frame.evaluate(each), expression: each }));
  const value = makeFunction(frame, name, statement);
  const scope = frame.module.scopes.get(statement)!;
  readLater(frame, value, scope, statement.parameters, (inner) => inner.run(statement.body));
  annotate(frame, value, statement);
  let held = frame.program.slotFor(implicitly(frame, statement, value));
  for (const { slot, expression } of decorators.toReversed()) held = decorated(frame, slot, expression, held);
  if (frame.kind === 'class') frame.program.memberNames.add(statement.name);
  frame.bind(statement.name, held);
}

/** A lambda is named by its number in the scope where it stands. */
export function defineLambda(frame: Frame, expression: LambdaExpression): Slot {
  frame.lambdas++;
  const name = `${frame.name}.<lambda${frame.lambdas}>`;
  define(frame.analysis, name, 'lambda', frame.module.path, expression);
  const value = makeFunction(frame, name, expression);
  // `eval` reads text that the module's scopes do not know.
  const scope = frame.module.scopes.get(expression) ?? frame.scope;
  readLater(frame, value, scope, expression.parameters, (inner) => {
    const result = inner.evaluate(expression.body);
    const parameter = value.parameters.find(({ slot }) => slot === result);
    if (parameter) value.givenBack.add(parameter);
    else frame.solver.flow(result, value.returned);
  });
  return frame.program.slotFor(value);
}

function makeFunction(frame: Frame, name: string, of: FunctionStatement | LambdaExpression): FunctionValue {
  const { program, analysis, kind } = frame;
  const parameters = of.parameters.map(
    (each): ParameterSlot => ({
      name: each.name,
      form: each.form,
      slot: new Slot(),
      default: each.default ? frame.evaluate(each.default) : undefined,
      omitted: false,
    }),
  );
  const collecting = (form: Parameter['form'], type: 'PyTuple' | 'PyDict'): ContainerValue | undefined => {
    const parameter = parameters.find((each) => each.form === form);
    if (!parameter) return undefined;
    const container = type === 'PyTuple' ? program.container(type, 0, true) : program.container(type);
    program.solver.add(parameter.slot, container);
    return container;
  };
  const owner = kind === 'class' ? frame.class : undefined;
  const value: FunctionValue = {
    kind: 'function',
    name,
    parameters,
    positional: parameters.filter(({ form }) => form === 'positional' || form === 'positionalOnly'),
    rest: collecting('varPositional', 'PyTuple'),
    keywordRest: collecting('varKeyword', 'PyDict'),
    returned: new Slot(),
    yielded: new Slot(),
    isGenerator: frame.module.scopes.get(of)?.yields ?? false,
    isAsync: of.kind === 'function' && of.isAsync,
    givenBack: new Set(),
    owner,
    assignedAlways: of.kind === 'function' && owner ? assignedAlways(of) : new Set(),
    fields: new Map(),
    called: false,
  };
  analysis.functions.push(value);
  return value;
}

function readLater(
  frame: Frame,
  value: FunctionValue,
  scope: Frame['scope'],
  parameters: readonly Parameter[],
  read: (inner: Frame) => void,
): void {
  const { module, analysis } = frame;
  const cls = value.owner ?? frame.class;
  const inner = new Frame(analysis, {
    kind: 'function',
    name: value.name,
    module,
    scope,
    parent: frame,
    function: value,
    class: cls,
  });
  for (const [at, { name }] of parameters.entries()) inner.bind(name, value.parameters[at]!.slot);
  analysis.bodies.push(() => {
    read(inner);
    inner.publish();
  });
}

/** Attributes that an initializer sets on its instance in every run: `self.x = …` right in its body. */
function assignedAlways({ name, parameters, body }: FunctionStatement): ReadonlySet<string> {
  const self = parameters[0]?.name;
  const names = new Set<string>();
  if (name !== '__init__' || self === undefined) return names;
  const note = (target: Expression): void => {
    if (target.kind === 'attribute' && target.object.kind === 'name' && target.object.id === self)
      names.add(target.name);
    else if (target.kind === 'tuple' || target.kind === 'list') for (const each of target.elements) note(each);
  };
  for (const statement of body) if (statement.kind === 'assign') for (const target of statement.targets) note(target);
  return names;
}

/** `__new__` and two others are static or class methods without saying so. */
function implicitly(frame: Frame, { name }: FunctionStatement, value: FunctionValue): Value {
  if (frame.kind !== 'class') return value;
  const type = name === '__new__' ? 'staticmethod' : CLASS_HOOKS.has(name) ? 'classmethod' : undefined;
  if (!type) return value;
  return { kind: 'descriptor', type, getter: frame.program.slotFor(value), setter: new Slot() };
}

const CLASS_HOOKS: ReadonlySet<string> = new Set(['__init_subclass__', '__class_getitem__']);

/** What a definition is bound to behind a decorator. One of which nothing is known is taken to give back what it got. */
function decorated(frame: Frame, decorator: Slot, expression: Expression, held: Slot): Slot {
  const { program, solver, analysis } = frame;
  const result = new Slot();
  const site = frame.site(expression, expression);
  analysis.calls.push({ site, callee: decorator });
  frame.othersRun();
  solver.on(decorator, (value) => {
    // Builtin decorators are part of the language: no edge.
    const asks = value.kind === 'builtin' ? { ...site, caller: '' } : site;
    if (value.kind === 'builtin') site.resolved = true;
    if (value.kind === 'external' && !keepsItsArgument(value.name)) solver.flow(held, result);
    call(
      program,
      asks,
      program.slotFor(value),
      plain(held),
      value.kind === 'external' && !MODELLED.test(value.name) ? new Slot() : result,
    );
  });
  solver.ifEmpty(result, () => solver.flow(held, result));
  return result;
}

const MODELLED = /^(functools|abc|contextlib|typing|dataclasses|enum|atexit|types|asyncio)\./;

export function defineClass(frame: Frame, statement: ClassStatement): void {
  const { program, analysis } = frame;
  const name = `${frame.name}.${statement.name}`;
  define(analysis, name, 'class', frame.module.path, statement);
  const decorators = statement.decorators.map((each) => ({ slot: frame.evaluate(each), expression: each }));
  const bases: Slot[] = [];
  const others: { name: string | undefined; slot: Slot }[] = [];
  for (const argument of statement.arguments) {
    const slot = frame.evaluate(argument.value);
    if (argument.name === undefined && !argument.spread) bases.push(slot);
    else others.push({ name: argument.name, slot });
  }
  const declaredFields = statement.body.flatMap((each) =>
    each.kind === 'annotatedAssign' && each.target.kind === 'name' ? [each.target.id] : [],
  );
  const isRecord =
    statement.decorators.some(isDataclass) || statement.arguments.some(({ value }) => lastName(value) === 'NamedTuple');
  const cls = program.classes.define({
    name,
    bases,
    metaclass: others.find((each) => each.name === 'metaclass')?.slot,
    declaredFields,
    recordFields: isRecord ? declaredFields : undefined,
  });
  frame.othersRun();
  runClassBody(frame, cls, name, statement, statement.body);
  announce(
    frame,
    cls,
    statement,
    others.filter((each) => each.name !== 'metaclass'),
  );
  let held = program.slotFor(cls);
  for (const { slot, expression } of decorators.toReversed()) held = decorated(frame, slot, expression, held);
  if (frame.kind === 'class') program.memberNames.add(statement.name);
  frame.bind(statement.name, held);
}

function runClassBody(
  frame: Frame,
  cls: ClassValue,
  name: string,
  statement: ClassStatement,
  body: readonly Statement[],
): void {
  const { analysis, module } = frame;
  const scope = module.scopes.get(statement) ?? frame.scope;
  const inner = new Frame(analysis, { kind: 'class', name, module, scope, parent: frame, class: cls });
  inner.run(body);
  inner.publish();
  for (const [each, slot] of inner.flow.names) {
    cls.fields.set(each, slot);
    analysis.program.memberNames.add(each);
  }
}

/** `__init_subclass__` of the bases is called for a new class. */
function announce(
  frame: Frame,
  cls: ClassValue,
  statement: ClassStatement,
  keywords: { name: string | undefined; slot: Slot }[],
): void {
  if (statement.arguments.length === 0) return;
  const { program, solver } = frame;
  const site = frame.site(statement);
  program.classes.lookup(
    cls,
    '__init_subclass__',
    (lookup) => {
      if (lookup.kind !== 'found') return;
      solver.on(lookup.found.slot, (member) => {
        if (member.kind !== 'descriptor') return;
        const given = { positional: [{ slot: program.slotFor(cls), spread: false }], keywords };
        call(program, site, member.getter, given, new Slot());
      });
    },
    cls,
  );
}

function isDataclass(decorator: Expression): boolean {
  const name = lastName(decorator.kind === 'call' ? decorator.callee : decorator);
  return name === 'dataclass' || name === 'attrs' || name === 'define' || name === 'frozen';
}

function lastName(expression: Expression): string {
  return expression.kind === 'name' ? expression.id : expression.kind === 'attribute' ? expression.name : '';
}

/** Annotations stand in for values where no call tells any. */
function annotate(frame: Frame, value: FunctionValue, statement: FunctionStatement): void {
  for (const [at, { annotation }] of statement.parameters.entries()) {
    const parameter = value.parameters[at]!;
    if (annotation && !parameter.form.startsWith('var')) hint(frame, annotation, parameter.slot);
  }
  if (statement.returns && !value.isGenerator) hint(frame, statement.returns, value.returned, value);
}

function hint(frame: Frame, annotation: Expression, slot: Slot, returning?: FunctionValue): void {
  const names = namedTypes(annotation);
  if (names.length === 0) return;
  frame.analysis.bodies.push(() => {
    frame.solver.ifEmpty(slot, () => {
      if (returning && returning.givenBack.size > 0) return;
      for (const type of names) {
        const held = typeSlot(frame, type);
        if (held)
          frame.solver.on(held, (cls) => (cls.kind === 'class' ? frame.solver.add(slot, cls.instance) : undefined));
      }
    });
  });
}

/** Names of types in an annotation, those in quotes, optional ones and unions too. */
function namedTypes(annotation: Expression): Expression[] {
  switch (annotation.kind) {
    case 'name':
    case 'attribute':
      return [annotation];
    case 'string':
      return /^[A-Za-z_]\w*(\.\w+)*$/.test(annotation.value) ? [quoted(annotation)] : [];
    case 'binary':
      return annotation.operator === '|' ? [...namedTypes(annotation.left), ...namedTypes(annotation.right)] : [];
    case 'subscript': {
      const outer =
        annotation.object.kind === 'attribute'
          ? annotation.object.name
          : annotation.object.kind === 'name'
            ? annotation.object.id
            : '';
      if (outer !== 'Optional' && outer !== 'Union') return namedTypes(annotation.object);
      return annotation.index.kind === 'tuple'
        ? annotation.index.elements.flatMap(namedTypes)
        : namedTypes(annotation.index);
    }
    default:
      return [];
  }
}

function quoted({ value, ...span }: Expression & { kind: 'string' }): Expression {
  const [first, ...rest] = value.split('.');
  let result: Expression = { ...span, kind: 'name', id: first! };
  for (const name of rest) result = { ...span, kind: 'attribute', object: result, name };
  return result;
}

function typeSlot(frame: Frame, type: Expression): Slot | undefined {
  if (type.kind === 'name') return frame.lookup(type.id);
  if (type.kind !== 'attribute') return undefined;
  return frame.evaluate(type);
}
