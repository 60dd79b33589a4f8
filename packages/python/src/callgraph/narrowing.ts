import type { Expression } from '../syntax';
import type { Frame } from './frame';
import { elementsOf } from './objects';
import { pathOf } from './paths';
import { Slot, type Value } from './values';

/** Behind `if isinstance(x, C)` the name `x` holds what may be a `C`, and an instance of `C` where nothing is known of it. */
export function narrow(frame: Frame, test: Expression): void {
  if (test.kind === 'logical' && test.operator === 'and') {
    narrow(frame, test.left);
    narrow(frame, test.right);
    return;
  }
  if (test.kind !== 'call' || test.callee.kind !== 'name' || test.callee.id !== 'isinstance') return;
  const [subject, type] = test.arguments;
  if (!subject || !type || pathOf(frame, subject.value) === undefined) return;
  const slot = instancesOf(frame, frame.evaluateInside(subject.value), frame.evaluate(type.value), test);
  if (subject.value.kind === 'name') frame.flow.names.set(subject.value.id, slot);
  else frame.put(pathOf(frame, subject.value)!, slot);
}

/** Values of `from` that may be instances of what `types` holds, a class or a tuple of classes. */
export function instancesOf(frame: Frame, from: Slot, types: Slot, where: Expression): Slot {
  const { program, solver } = frame;
  const result = new Slot();
  const each = new Slot();
  solver.on(types, (type) => {
    if (type.kind === 'container') elementsOf(program, frame.site(where), type, each);
    else solver.add(each, type);
  });
  solver.on(each, (type) => {
    solver.on(from, (value) => {
      if (mayBe(frame, value, type)) solver.add(result, value);
    });
    if (type.kind === 'class') solver.ifEmpty(result, () => solver.add(result, type.instance));
  });
  solver.ifEmpty(each, () => solver.flow(from, result));
  return result;
}

function mayBe(frame: Frame, value: Value, type: Value): boolean {
  if (value.kind === 'instance') return frame.program.classes.mayDerive(value.class, type);
  return type.kind !== 'class' || value.kind === 'external';
}
