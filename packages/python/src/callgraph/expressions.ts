import type {
  ComprehensionExpression,
  DictExpression,
  Expression,
  FormattedString,
  SequenceExpression,
} from '../syntax';
import { loadAttribute } from './attributes';
import { showOf } from './builtins';
import { evaluateCall } from './call-expressions';
import { callMethod } from './calls';
import { ContainerValue } from './containers';
import { defineLambda } from './definitions';
import { either, joined } from './flow';
import type { Frame } from './frame';
import { type Index, iterate, loadItem, operate, sequence } from './items';
import { awaited } from './library';
import { narrow } from './narrowing';
import { evaluateBinary, evaluateComparison, evaluateLogical } from './operations';
import { constantIn } from './operators';
import { indexOf, pathOf } from './paths';
import { NOTHING, Slot } from './slot';
import { assign } from './targets';

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
      const object = evaluateInside(frame, expression.object);
      const result = new Slot();
      loadAttribute(program, frame.site(expression), object, expression.name, result);
      return knownAt(frame, expression) ?? result;
    }
    case 'subscript': {
      const object = evaluateInside(frame, expression.object);
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

/** The object of an attribute or a subscript: looking into it hands it to nobody. */
export function evaluateInside(frame: Frame, object: Expression): Slot {
  return object.kind === 'name' ? frame.lookup(object.id) : evaluate(frame, object);
}

export function evaluateIndex(frame: Frame, index: Expression): Index {
  if (index.kind !== 'slice') return { kind: 'key', slot: evaluate(frame, index) };
  evaluate(frame, index);
  return indexOf(frame, index);
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
  const shape: string[] | undefined = [];
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
    if (constant?.constant !== undefined) {
      const at =
        typeof constant.constant === 'number'
          ? (`i:${constant.constant}` as const)
          : (`s:${constant.constant}` as const);
      // A key that comes twice keeps the value that came last.
      if (entries.length < 2 || !shape.includes(at) || slot === NOTHING) made.store(at, slot);
      else made.store(at, slot);
      shape.push(at);
    } else {
      known = false;
      solver.ifEmpty(keys, () => solver.flow(slot, made.rest));
      solver.on(keys, (each) => {
        if (each.kind === 'constant' && each.constant !== undefined)
          made.store(typeof each.constant === 'number' ? `i:${each.constant}` : `s:${each.constant}`, slot);
        else solver.flow(slot, made.rest);
      });
    }
  }
  const result = solver.slotOf(made);
  frame.analysis.allocated.add(result);
  if (known) frame.analysis.shapes.set(result, shape);
  return result;
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
    solver.ifEmpty(key, () => solver.flow(value, made.rest));
    solver.on(key, (each) => {
      const constant = each.kind === 'constant' ? each.constant : undefined;
      if (constant === undefined) solver.flow(value, made.rest);
      else made.store(typeof constant === 'number' ? `i:${constant}` : `s:${constant}`, value);
    });
  } else solver.flow(value, made.rest);
  return solver.slotOf(made);
}

const UNARY: Readonly<Record<string, string | undefined>> = {
  '-': '__neg__',
  '+': '__pos__',
  '~': '__invert__',
  not: '__bool__',
};
