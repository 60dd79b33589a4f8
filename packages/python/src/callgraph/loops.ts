import type { ForStatement, WhileStatement } from '../syntax';
import { callMethod } from './calls';
import { evaluate } from './expressions';
import { type Flow, joined } from './flow';
import type { Frame } from './frame';
import { iterate } from './items';
import { narrow } from './narrowing';
import { namesBoundIn } from './scopes';
import { Slot } from './slot';
import { runBlock } from './statements';
import { assign } from './targets';

export function runLoop(frame: Frame, statement: ForStatement | WhileStatement): void {
  const { program, solver } = frame;
  const element = new Slot();
  if (statement.kind === 'for') {
    const iterable = evaluate(frame, statement.iterable);
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
    evaluate(frame, statement.test);
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
