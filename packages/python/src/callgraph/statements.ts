import type {
  AugmentedAssignStatement,
  Expression,
  ForStatement,
  MatchStatement,
  Statement,
  TryStatement,
  WhileStatement,
  WithStatement,
} from '../syntax';
import { defineClass, defineFunction } from './definitions';
import { type Flow, joined } from './flow';
import type { Frame } from './frame';
import { importFrom, importModules } from './imports';
import { OPERATORS, operate } from './items';
import { entered } from './library';
import { narrow } from './narrowing';
import { call, callMethod, iterate, plain } from './objects';
import { namesBoundIn } from './scopes';
import { assign, assignDirectly, match } from './targets';
import { NOTHING, Slot } from './values';

export function runBlock(frame: Frame, block: readonly Statement[]): void {
  for (const statement of block) run(frame, statement);
}

function run(frame: Frame, statement: Statement): void {
  switch (statement.kind) {
    case 'function':
      defineFunction(frame, statement);
      return;
    case 'class':
      defineClass(frame, statement);
      return;
    case 'return':
      if (statement.value) giveBack(frame, frame.evaluate(statement.value));
      end(frame);
      return;
    case 'delete':
      for (const target of statement.targets)
        if (target.kind === 'name') frame.unbind(target.id);
        else {
          frame.evaluate(target);
          frame.blur();
        }
      return;
    case 'assign': {
      if (assignDirectly(frame, statement.targets, statement.value)) return;
      const value = frame.evaluate(statement.value);
      for (const target of statement.targets) assign(frame, target, value);
      return;
    }
    case 'augmentedAssign':
      runAugmented(frame, statement);
      return;
    case 'annotatedAssign':
      if (statement.value) assign(frame, statement.target, frame.evaluate(statement.value));
      return;
    case 'typeAlias':
      frame.bind(statement.name, NOTHING);
      return;
    case 'for':
    case 'while':
      runLoop(frame, statement);
      return;
    case 'if': {
      frame.evaluate(statement.test);
      branch(
        frame,
        () => {
          narrow(frame, statement.test);
          runBlock(frame, statement.body);
        },
        () => runBlock(frame, statement.orElse),
      );
      return;
    }
    case 'with':
      runWith(frame, statement);
      return;
    case 'match':
      runMatch(frame, statement);
      return;
    case 'raise':
      if (statement.exception) raise(frame, statement.exception);
      if (statement.cause) raise(frame, statement.cause);
      end(frame);
      return;
    case 'try':
      runTry(frame, statement);
      return;
    case 'assert':
      frame.evaluate(statement.test);
      narrow(frame, statement.test);
      if (statement.message) frame.evaluate(statement.message);
      return;
    case 'import':
      frame.othersRun();
      importModules(frame, statement);
      return;
    case 'importFrom':
      frame.othersRun();
      importFrom(frame, statement);
      return;
    case 'expression':
      frame.evaluate(statement.value);
      return;
    case 'break':
      frame.loops.at(-1)?.breaks.push(frame.flow.fork());
      end(frame);
      return;
    case 'continue':
      frame.loops.at(-1)?.continues.push(frame.flow.fork());
      end(frame);
      return;
    case 'unreadable':
      for (const each of statement.expressions) frame.evaluate(each);
      return;
    case 'global':
    case 'nonlocal':
    case 'pass':
      return;
    default:
      statement satisfies never;
      return;
  }
}

/** What stands behind is read all the same, but what it binds reaches nobody. */
function end(frame: Frame): void {
  frame.publish();
  frame.flow.dead = true;
}

/** What a function returns. Its own parameters are noted: a call gives its own arguments back, not everybody's. */
function giveBack(frame: Frame, value: Slot, depth = 0): void {
  const fn = frame.function;
  if (!fn) return;
  const parameter = fn.parameters.find(({ slot, form }) => slot === value && !form.startsWith('var'));
  if (parameter) fn.givenBack.add(parameter);
  else if (value.ways && depth < 8) for (const way of value.ways) giveBack(frame, way, depth + 1);
  else frame.solver.flow(value, fn.returned);
}

/** Runs each way from the same point; what any of them may bind holds after them. */
function branch(frame: Frame, ...ways: readonly (() => void)[]): void {
  frame.publish();
  const before = frame.flow;
  const after = ways.map((way) => {
    frame.flow = before.fork();
    way();
    frame.publish();
    return frame.flow;
  });
  frame.flow = joined(frame.solver, ...after);
}

function runAugmented(frame: Frame, { target, operator, value, ...span }: AugmentedAssignStatement): void {
  const { program, solver } = frame;
  const before = target.kind === 'name' ? frame.lookup(target.id) : frame.evaluate(target);
  const operand = frame.evaluate(value);
  const name = operator.slice(0, -1);
  const site = frame.site(span);
  const result = program.merged(before);
  const inPlace = OPERATORS[name]?.method.replace('__', '__i');
  if (inPlace) operate(program, site, before, operand, { method: inPlace, reflected: undefined }, result);
  const names = OPERATORS[name];
  if (names) operate(program, site, before, operand, names, result);
  // `list += more` grows the list itself.
  solver.on(before, (each) => {
    if (each.kind !== 'container') return;
    if (each.type === 'PyDict')
      solver.on(operand, (other) => (other.kind === 'container' ? each.include(other) : undefined));
    else iterate(program, site, operand, each.length === undefined ? each.rest : each.tail);
  });
  assign(frame, target, result);
}

function runWith(frame: Frame, { items, body, isAsync }: WithStatement): void {
  const { program, solver } = frame;
  for (const { context, target } of items) {
    const manager = frame.evaluate(context);
    const held = new Slot();
    const site = frame.site(context);
    frame.othersRun();
    solver.on(manager, (value) => entered(program, site, value, isAsync, held));
    if (target) assign(frame, target, held);
  }
  runBlock(frame, body);
}

function runMatch(frame: Frame, { subject, cases }: MatchStatement): void {
  const value = frame.evaluateInside(subject);
  branch(
    frame,
    ...cases.map(({ pattern, guard, body }) => () => {
      match(frame, pattern, value);
      if (subject.kind === 'name' && pattern.kind === 'class') {
        const test = {
          ...pattern,
          kind: 'call' as const,
          callee: { ...pattern, kind: 'name' as const, id: 'isinstance' },
        };
        const argument = (each: typeof subject | typeof pattern.class) => ({
          ...pattern,
          name: undefined,
          spread: undefined,
          value: each,
        });
        narrow(frame, { ...test, arguments: [argument(subject), argument(pattern.class)] });
      }
      if (guard) frame.evaluate(guard);
      runBlock(frame, body);
    }),
    () => {},
  );
}

/** `raise Cls` makes an instance, and `raise make()` raises what it is given. */
function raise(frame: Frame, expression: Expression): void {
  const { program, solver } = frame;
  const raised = frame.evaluate(expression);
  const site = frame.site(expression);
  frame.othersRun();
  solver.on(raised, (value) => {
    if (value.kind === 'class') call(program, site, program.slotFor(value), plain(), new Slot());
  });
}

function runTry(frame: Frame, statement: TryStatement): void {
  const { solver } = frame;
  frame.publish();
  const before = frame.flow.fork();
  const names = namesBoundIn(statement.body);
  const seen = new Map<string, Slot>();
  for (const name of names) {
    const slot = new Slot();
    const known = before.names.get(name);
    if (known) solver.flow(known, slot);
    seen.set(name, slot);
  }
  frame.observers.push(seen);
  runBlock(frame, statement.body);
  frame.publish();
  frame.observers.pop();
  // Any statement of the body may have been the last.
  const interrupted = before.fork();
  interrupted.dead = false;
  for (const [name, slot] of seen) interrupted.names.set(name, slot);
  interrupted.paths.clear();
  const ends: Flow[] = [];
  const completed = frame.flow;
  for (const handler of statement.handlers) {
    frame.flow = interrupted.fork();
    const type = handler.type ? frame.evaluate(handler.type) : NOTHING;
    if (handler.name !== undefined) frame.bind(handler.name, caught(frame, type));
    runBlock(frame, handler.body);
    frame.publish();
    ends.push(frame.flow);
  }
  frame.flow = completed;
  runBlock(frame, statement.orElse);
  frame.publish();
  const normal = joined(solver, frame.flow, ...ends);
  frame.flow = statement.finally.length > 0 && normal.dead ? interrupted.fork() : normal;
  runBlock(frame, statement.finally);
  if (normal.dead) frame.flow.dead = true;
}

/** What `except C as e` and `except (C, D) as e` give to `e`. */
function caught(frame: Frame, types: Slot): Slot {
  const { solver } = frame;
  const result = new Slot();
  // A tuple of classes that grows by itself holds what it holds already.
  const seen = new Set<Slot>();
  const one = (type: Slot): void => {
    if (seen.has(type)) return;
    seen.add(type);
    solver.on(type, (value) => {
      if (value.kind === 'class') solver.add(result, value.instance);
      else if (value.kind === 'external') solver.add(result, frame.program.external(value.name, 0, true));
      else if (value.kind === 'container') one(value.all);
    });
  };
  one(types);
  return result;
}

function runLoop(frame: Frame, statement: ForStatement | WhileStatement): void {
  const { program, solver } = frame;
  const element = new Slot();
  if (statement.kind === 'for') {
    const iterable = frame.evaluate(statement.iterable);
    const site = frame.site(statement.iterable);
    iterate(program, site, iterable, element);
    if (statement.isAsync) iterateAsync(frame, iterable, element, statement);
  }
  frame.othersRun();
  // A turn may find what the turn before left.
  const heads = new Map<string, Slot>();
  for (const name of namesBoundIn([statement])) {
    const head = new Slot();
    const before = frame.flow.names.get(name);
    if (before) solver.flow(before, head);
    else if (frame.kind === 'class') continue;
    heads.set(name, head);
  }
  const entry = frame.flow.fork();
  frame.flow = entry.fork();
  for (const [name, head] of heads) if (entry.names.has(name)) frame.flow.names.set(name, head);
  frame.flow.paths.clear();
  const loop: { breaks: Flow[]; continues: Flow[] } = { breaks: [], continues: [] };
  frame.loops.push(loop);
  if (statement.kind === 'for') assign(frame, statement.target, element);
  else {
    frame.evaluate(statement.test);
    narrow(frame, statement.test);
  }
  runBlock(frame, statement.body);
  frame.publish();
  frame.loops.pop();
  const turned = joined(solver, frame.flow, ...loop.continues);
  for (const [name, head] of heads) {
    const left = turned.dead ? undefined : turned.names.get(name);
    if (left) solver.flow(left, head);
  }
  frame.flow = joined(solver, entry, turned);
  frame.flow.paths.clear();
  runBlock(frame, statement.orElse);
  frame.publish();
  frame.flow = joined(solver, frame.flow, ...loop.breaks);
}

function iterateAsync(frame: Frame, iterable: Slot, element: Slot, { iterable: where }: ForStatement): void {
  const { program, solver } = frame;
  const site = frame.site(where);
  solver.on(iterable, (value) => {
    const iterator = new Slot();
    callMethod(program, site, value, '__aiter__', [], iterator);
    solver.on(iterator, (each) => {
      const coroutine = new Slot();
      callMethod(program, site, each, '__anext__', [], coroutine);
      solver.on(coroutine, (it) => (it.kind === 'coroutine' ? solver.flow(it.returned, element) : undefined));
      if (each.kind === 'generator') solver.flow(each.yielded, element);
    });
  });
}
