import type { CallExpression } from '../syntax';
import { namedAttribute } from './builtins';
import { argument, call } from './calls';
import { evaluate } from './expressions';
import { STEP } from './flow';
import type { Frame } from './frame';
import { importNamed } from './imports';
import { loadItem } from './items';
import { constantIn } from './operators';
import { pathOf } from './paths';
import { Slot } from './slot';
import { runBlock } from './statements';
import type { Arguments, Site } from './values';

/** A call: callee, arguments, then whatever it does. */
export function evaluateCall(frame: Frame, expression: CallExpression): Slot {
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
  if (name === 'exec') runBlock(frame, body);
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
