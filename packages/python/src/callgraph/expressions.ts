import type {
  BinaryExpression,
  CallExpression,
  ComparisonExpression,
  ComprehensionExpression,
  DictExpression,
  Expression,
  FormattedString,
  SequenceExpression,
} from '../syntax';
import { namedAttribute, showOf } from './builtins';
import { defineLambda } from './definitions';
import { either, joined, STEP } from './flow';
import type { Frame } from './frame';
import { importNamed } from './imports';
import { loadItem, OPERATORS, operate, sequence } from './items';
import { awaited } from './library';
import { narrow } from './narrowing';
import { argument, call, callMethod, iterate, loadAttribute } from './objects';
import { constantIn, evaluateIndex, pathOf } from './paths';
import { assign } from './targets';
import { type Arguments, ContainerValue, keyOf, NOTHING, type Site, Slot } from './values';

/** What an expression may hold, after the constraints of everything in it were set up. */
export function evaluate(frame: Frame, expression: Expression): Slot {
  const { program, solver } = frame;
  switch (expression.kind) {
    case 'name':
      frame.escape(expression.id);
      return frame.lookup(expression.id);
    case 'number':
    case 'string':
    case 'boolean': {
      const constant = constantIn(frame, expression);
      return constant ? program.slotFor(constant) : program.slotFor(program.any('PyNum'));
    }
    case 'none':
    case 'ellipsis':
      return NOTHING;
    case 'formattedString':
      return evaluateFormatted(frame, expression);
    case 'tuple':
    case 'list':
    case 'set':
      return evaluateSequence(frame, expression);
    case 'dict':
      return evaluateDict(frame, expression);
    case 'unary': {
      const operand = evaluate(frame, expression.operand);
      const constant = constantIn(frame, expression);
      if (constant) return program.slotFor(constant);
      const result = new Slot();
      const method = UNARY[expression.operator];
      if (method) operate(program, frame.site(expression), operand, NOTHING, { method, reflected: undefined }, result);
      return result;
    }
    case 'binary':
      return evaluateBinary(frame, expression);
    case 'logical':
      return evaluateLogical(frame, expression.left, expression.right, expression.operator);
    case 'comparison':
      return evaluateComparison(frame, expression);
    case 'call':
      return evaluateCall(frame, expression);
    case 'attribute': {
      const object = frame.evaluateInside(expression.object);
      const result = new Slot();
      loadAttribute(program, frame.site(expression), object, expression.name, result);
      return knownAt(frame, expression) ?? result;
    }
    case 'subscript': {
      const object = frame.evaluateInside(expression.object);
      const index = evaluateIndex(frame, expression.index);
      const result = new Slot();
      loadItem(program, frame.site(expression), object, index, result);
      return knownAt(frame, expression) ?? result;
    }
    case 'slice':
      for (const each of [expression.lower, expression.upper, expression.step]) if (each) evaluate(frame, each);
      return NOTHING;
    case 'starred':
      return evaluate(frame, expression.value);
    case 'lambda':
      return defineLambda(frame, expression);
    case 'conditional': {
      evaluate(frame, expression.test);
      const before = frame.flow;
      frame.flow = before.fork();
      narrow(frame, expression.test);
      const one = evaluate(frame, expression.body);
      const [after, otherwise] = [frame.flow, before.fork()];
      frame.flow = otherwise;
      const other = evaluate(frame, expression.orElse);
      frame.flow = joined(solver, after, frame.flow);
      return either(solver, one, other);
    }
    case 'await': {
      const result = new Slot();
      const value = evaluate(frame, expression.value);
      frame.othersRun();
      awaited(program, value, result);
      solver.on(value, (each) => {
        if (each.kind !== 'instance') return;
        const iterator = new Slot();
        callMethod(program, frame.site(expression), each, '__await__', [], iterator);
        solver.on(iterator, (it) => (it.kind === 'generator' ? solver.flow(it.returned, result) : undefined));
      });
      return result;
    }
    case 'yield':
      if (expression.value && frame.function) solver.flow(evaluate(frame, expression.value), frame.function.yielded);
      frame.othersRun();
      return NOTHING;
    case 'yieldFrom': {
      const result = new Slot();
      if (!expression.value) return result;
      const from = evaluate(frame, expression.value);
      if (frame.function) iterate(program, frame.site(expression), from, frame.function.yielded);
      solver.on(from, (each) => (each.kind === 'generator' ? solver.flow(each.returned, result) : undefined));
      frame.othersRun();
      return result;
    }
    case 'comprehension':
      return evaluateComprehension(frame, expression);
    case 'walrus': {
      const value = evaluate(frame, expression.value);
      frame.bind(expression.target.id, value);
      return value;
    }
    case 'unreadable':
      for (const each of expression.expressions) evaluate(frame, each);
      return NOTHING;
    default:
      return expression satisfies never;
  }
}

/** What was stored at this very place last, where that is certain. */
function knownAt(frame: Frame, expression: Expression): Slot | undefined {
  const path = frame.flow.paths.size > 0 ? pathOf(frame, expression) : undefined;
  return path === undefined ? undefined : frame.flow.paths.get(path);
}

function evaluateSequence(frame: Frame, { kind, elements }: SequenceExpression): Slot {
  const { program, solver } = frame;
  const type = kind === 'tuple' ? 'PyTuple' : kind === 'list' ? 'PyList' : 'PySet';
  const slots = elements.map((element) => ({
    slot: evaluate(frame, element),
    spread: element.kind === 'starred',
    element,
  }));
  let made: ContainerValue;
  if (kind === 'set' || slots.some(({ spread }) => spread)) {
    made = program.container(type);
    for (const { slot, spread, element } of slots)
      if (spread) iterate(program, frame.site(element), slot, made.rest);
      else solver.flow(slot, made.rest);
  } else
    made = sequence(
      program,
      type,
      slots.map(({ slot }) => slot),
    );
  const result = solver.slotOf(made);
  if (kind !== 'tuple') frame.analysis.allocated.add(result);
  return result;
}

function evaluateDict(frame: Frame, { entries }: DictExpression): Slot {
  const { program, solver } = frame;
  const made = program.container('PyDict');
  const shape: string[] = [];
  let known = true;
  for (const { key, value } of entries) {
    if (!key) {
      known = false;
      solver.on(evaluate(frame, value), (from) => {
        if (from instanceof ContainerValue) made.include(from);
      });
      continue;
    }
    const constant = constantIn(frame, key);
    const keys = evaluate(frame, key);
    const slot = evaluate(frame, value);
    solver.flow(keys, made.keys);
    const at = constant && keyOf(constant);
    if (at !== undefined) {
      made.store(at, slot);
      shape.push(at);
    } else {
      known = false;
      storeUnder(frame, made, keys, slot);
    }
  }
  const result = solver.slotOf(made);
  frame.analysis.allocated.add(result);
  if (known) frame.analysis.shapes.set(result, shape);
  return result;
}

/** An entry of a dict whose key is known only as the values that it may hold. */
function storeUnder({ solver }: Frame, dict: ContainerValue, keys: Slot, value: Slot): void {
  solver.ifEmpty(keys, () => solver.flow(value, dict.rest));
  solver.on(keys, (each) => {
    const key = each.kind === 'constant' ? keyOf(each) : undefined;
    if (key === undefined) solver.flow(value, dict.rest);
    else dict.store(key, value);
  });
}

function evaluateFormatted(frame: Frame, { parts }: FormattedString): Slot {
  const { program, solver } = frame;
  for (const part of parts) {
    if (typeof part === 'string') continue;
    const value = evaluate(frame, part.expression);
    const site = frame.site(part.expression);
    if (program.memberNames.size > 0) solver.on(value, (each) => showOf(program, site, each));
    for (const inner of part.format) if (typeof inner !== 'string') evaluate(frame, inner.expression);
  }
  const [first, last] = [parts[0], parts.at(-1)];
  const prefix = typeof first === 'string' ? first : '';
  const suffix = parts.length > 1 && typeof last === 'string' ? last : '';
  if (parts.every((part) => typeof part === 'string'))
    return program.slotFor(program.constant('PyStr', parts.join('')));
  return program.slotFor(prefix + suffix === '' ? program.any('PyStr') : program.pattern(prefix, suffix));
}

/** Its targets live in a scope of their own, which is taken into the one around: nothing else there sees them. */
function evaluateComprehension(frame: Frame, expression: ComprehensionExpression): Slot {
  const { program, solver } = frame;
  const { form, clauses } = expression;
  const hidden = new Map(frame.flow.names);
  for (const { target, iterable, conditions } of clauses) {
    const element = new Slot();
    iterate(program, frame.site(iterable), evaluate(frame, iterable), element);
    assign(frame, target, element);
    for (const condition of conditions) {
      evaluate(frame, condition);
      narrow(frame, condition);
    }
  }
  const key = expression.key ? evaluate(frame, expression.key) : undefined;
  const value = evaluate(frame, expression.element);
  for (const name of [...frame.flow.names.keys()]) {
    const before = hidden.get(name);
    const isTarget = frame.scope.inner.has(name);
    if (isTarget && before) frame.flow.names.set(name, before);
    else if (isTarget) frame.flow.names.delete(name);
  }
  const type = form === 'list' ? 'PyList' : form === 'set' ? 'PySet' : form === 'dict' ? 'PyDict' : 'PyIterator';
  const made = program.container(type);
  if (key) {
    solver.flow(key, made.keys);
    storeUnder(frame, made, key, value);
  } else solver.flow(value, made.rest);
  return solver.slotOf(made);
}

const UNARY: Readonly<Record<string, string | undefined>> = {
  '-': '__neg__',
  '+': '__pos__',
  '~': '__invert__',
  not: '__bool__',
};

function evaluateBinary(frame: Frame, expression: BinaryExpression): Slot {
  const { program, solver } = frame;
  const constant = constantIn(frame, expression);
  if (constant) return program.slotFor(constant);
  const left = evaluate(frame, expression.left);
  const right = evaluate(frame, expression.right);
  const result = new Slot();
  const names = OPERATORS[expression.operator];
  if (names) operate(program, frame.site(expression), left, right, names, result);
  if (expression.operator === '%' || expression.operator === '+') affixed(frame, expression, result);
  if (expression.operator === '+' || expression.operator === '*' || expression.operator === '|') {
    const places: Slot[] = expression.operator === '*' ? [left] : [left, right];
    concatenate(frame, expression, places, result);
  }
  solver.on(left, (value) => {
    if (value.kind === 'constant') solver.add(result, program.any(value.type));
  });
  return result;
}

/** `"visit_" + name` and `"visit_%s" % name`: the beginning is known. */
function affixed(frame: Frame, { left, right, operator }: BinaryExpression, result: Slot): void {
  const { program, solver } = frame;
  if (operator === '%') {
    const template = left.kind === 'string' ? left.value.split(/%\(?\w*\)?[sdr]/) : [];
    if (template.length > 1) solver.add(result, program.pattern(template[0]!, template.at(-1)!));
    return;
  }
  const [prefix, suffix] = [left.kind === 'string' ? left.value : '', right.kind === 'string' ? right.value : ''];
  if (prefix + suffix !== '') solver.add(result, program.pattern(prefix, suffix));
}

/** Lists and tuples in a row; merged dicts. */
function concatenate(frame: Frame, where: object, operands: readonly Slot[], result: Slot): void {
  const { program, solver } = frame;
  const [left, right] = operands;
  solver.on(left!, (one) => {
    if (!(one instanceof ContainerValue)) return;
    const made = program.containerOf(where, one, () => {
      const container = program.container(one.type, right ? one.length : undefined);
      container.include(one);
      return container;
    });
    solver.add(result, made);
    if (!right) return;
    solver.on(right, (other) => {
      if (!(other instanceof ContainerValue)) return;
      if (made.type === 'PyDict') made.include(other);
      else if (made.length !== undefined && other.length !== undefined && made.length + other.length <= 64)
        for (let at = 0; at < other.length; at++)
          solver.flow(other.item(`i:${at}`), made.item(`i:${made.length + at}`));
      else solver.flow(other.all, made.length === undefined ? made.rest : made.tail);
    });
  });
}

function evaluateLogical(frame: Frame, left: Expression, right: Expression, operator: 'and' | 'or'): Slot {
  const one = evaluate(frame, left);
  const before = frame.flow;
  frame.flow = before.fork();
  if (operator === 'and') narrow(frame, left);
  const other = evaluate(frame, right);
  frame.flow = joined(frame.solver, before, frame.flow);
  return either(frame.solver, one, other);
}

function evaluateComparison(frame: Frame, { left, rest }: ComparisonExpression): Slot {
  const { program } = frame;
  const result = new Slot();
  let before = evaluate(frame, left);
  for (const { operator, right } of rest) {
    const after = evaluate(frame, right);
    const names = OPERATORS[operator];
    // `x in y` asks y.
    if (operator === 'in' || operator === 'not in')
      operate(program, frame.site(right), after, before, { method: '__contains__', reflected: undefined }, result);
    else if (names) operate(program, frame.site(right), before, after, names, result);
    before = after;
  }
  return result;
}

/** A call: callee, arguments, then whatever it does. */
function evaluateCall(frame: Frame, expression: CallExpression): Slot {
  const { program, analysis } = frame;
  const { callee } = expression;
  const target = evaluate(frame, callee);
  if (callee.kind === 'name') frame.escape(callee.id);
  else if (callee.kind === 'attribute' && callee.object.kind === 'name' && !isOwnContainer(frame, callee.object.id))
    frame.escape(callee.object.id);
  const given = evaluateArguments(frame, expression);
  const site = frame.site(expression, callee);
  analysis.calls.push({ site, callee: target });
  frame.othersRun();
  const result = new Slot();
  call(program, site, target, given, result);
  if (callee.kind === 'name' && target === builtinSlot(frame, callee.id))
    callInScope(frame, callee.id, site, expression, given, result);
  else if (callee.kind === 'attribute' && callee.name === 'import_module') importNamedBy(frame, given, result);
  else if (callee.kind === 'attribute') noteContents(frame, callee.object, callee.name, expression, given);
  return result;
}

function evaluateArguments(frame: Frame, expression: CallExpression): Arguments {
  const positional: { slot: Slot; spread: boolean }[] = [];
  const keywords: { name: string | undefined; slot: Slot }[] = [];
  for (const { name, spread, value } of expression.arguments) {
    const slot = evaluate(frame, value);
    if (name !== undefined || spread === '**') keywords.push({ name, slot });
    else positional.push({ slot, spread: spread === '*' });
  }
  return { positional, keywords };
}

function isOwnContainer(frame: Frame, name: string): boolean {
  const slot = frame.flow.names.get(name);
  return slot !== undefined && frame.analysis.allocated.has(slot);
}

function builtinSlot(frame: Frame, name: string): Slot {
  return frame.program.slotFor(frame.program.builtin(name));
}

/** Builtins that look at the scope in which they are called. */
function callInScope(
  frame: Frame,
  name: string,
  site: Site,
  expression: CallExpression,
  given: Arguments,
  result: Slot,
): void {
  const { program, solver } = frame;
  switch (name) {
    case 'super':
      callSuper(frame, given, result);
      return;
    case 'globals':
      solver.add(result, frame.module.value);
      return;
    case 'locals':
    case 'vars':
      if (frame.kind === 'module' && expression.arguments.length === 0) solver.add(result, frame.module.value);
      return;
    case '__import__':
      importNamedBy(frame, given, result);
      return;
    case 'eval':
    case 'exec':
      runText(frame, name, expression, result);
      return;
    case 'getattr': {
      // With the receiver at hand, names put together from known parts find its members.
      const [object, attribute] = [argument(given, 0), argument(given, 1)];
      if (object && attribute) solver.ifEmpty(result, () => namedAttribute(program, site, object, attribute, result));
      return;
    }
  }
}

function importNamedBy(frame: Frame, given: Arguments, result: Slot): void {
  const name = argument(given, 0, 'name');
  if (!name) return;
  const [value] = name.values;
  if (value?.kind === 'constant' && typeof value.constant === 'string')
    frame.solver.flow(importNamed(frame, value.constant), result);
}

/** `super()` stands for the class around the method and the method's first parameter. */
function callSuper(frame: Frame, given: Arguments, result: Slot): void {
  const { program, solver } = frame;
  const [type, object] = [argument(given, 0), argument(given, 1)];
  if (type && object) {
    solver.on(type, (cls) => {
      if (cls.kind === 'class') solver.on(object, (receiver) => solver.add(result, program.superOf(cls, receiver)));
    });
    return;
  }
  let method: Frame | undefined = frame;
  while (method && !(method.function?.owner && method.kind === 'function')) method = method.parent;
  const [first] = method?.function?.parameters ?? [];
  const owner = method?.function?.owner;
  if (owner && first) solver.on(first.slot, (receiver) => solver.add(result, program.superOf(owner, receiver)));
}

/** `eval` and `exec` of a text that is known: read as if it stood there. */
function runText(frame: Frame, name: 'eval' | 'exec', expression: CallExpression, result: Slot): void {
  const [source] = expression.arguments;
  const text = source && constantIn(frame, source.value)?.constant;
  if (typeof text !== 'string' || expression.arguments.length > 1) return;
  const { body, errors } = frame.analysis.python.parse(frame.module.path, text.trim());
  if (errors.length > 0) return;
  const [only, ...others] = body;
  if (name === 'exec') frame.run(body);
  else if (only?.kind === 'expression' && others.length === 0) frame.solver.flow(evaluate(frame, only.value), result);
}

/** After `d.update({"a": f})` the place `d["a"]` holds `f`, and nothing that it held before. */
function noteContents(
  frame: Frame,
  object: CallExpression['callee'],
  method: string,
  expression: CallExpression,
  given: Arguments,
): void {
  if (object.kind !== 'name' || !isOwnContainer(frame, object.id)) return;
  const path = pathOf(frame, object);
  if (path === undefined || HARMLESS.has(method)) return;
  const [first, ...others] = expression.arguments;
  const slot = given.positional[0]?.slot;
  const entries = new Map<string, Slot>();
  const shape = slot ? frame.analysis.shapes.get(slot) : [];
  const isUpdate = method === 'update' && shape !== undefined && expression.arguments.every(({ spread }) => !spread);
  if (!isUpdate) {
    frame.flow.forget(path);
    return;
  }
  for (const key of shape) {
    const held = new Slot();
    const constant = key.startsWith('s:')
      ? frame.program.constant('PyStr', key.slice(2))
      : frame.program.constant('PyNum', Number(key.slice(2)));
    const known = first?.value.kind === 'name' ? frame.flow.paths.get(`${first.value.id}${STEP}[${key}`) : undefined;
    if (slot && !known)
      loadItem(
        frame.program,
        frame.site(expression),
        slot,
        { kind: 'key', slot: frame.program.slotFor(constant) },
        held,
      );
    entries.set(key, known ?? held);
  }
  for (const { name, slot: value } of given.keywords) if (name !== undefined) entries.set(`s:${name}`, value);
  if (others.some(({ name }) => name === undefined)) {
    frame.flow.forget(path);
    return;
  }
  for (const [key, held] of entries) frame.put(`${path}${STEP}[${key}`, held);
}

/** Methods that change nothing under a key that is there already. */
const HARMLESS: ReadonlySet<string> = new Set([
  'get',
  'keys',
  'values',
  'items',
  'copy',
  'append',
  'extend',
  'setdefault',
  'index',
  'count',
]);
