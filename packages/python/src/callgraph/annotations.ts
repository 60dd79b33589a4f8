import type { Expression, FunctionStatement } from '../syntax';
import { evaluate } from './expressions';
import type { Frame } from './frame';
import type { Slot } from './slot';
import type { FunctionValue } from './values';

/** Annotations stand in for values where no call tells any. */
export function annotate(frame: Frame, value: FunctionValue, statement: FunctionStatement): void {
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
  return evaluate(frame, type);
}
