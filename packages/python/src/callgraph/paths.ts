import type { Expression, SliceExpression } from '../syntax';
import { STEP } from './flow';
import type { Frame } from './frame';
import type { Index } from './items';
import { type ConstantValue, keyOf, MAX_ITEMS } from './values';

/**
 * The place that an expression means, where one name of this scope and known steps lead to it: `d["a"]["b"]`,
 * `self.run`. Undefined for any other, and for steps from the end: `l[-1]` may be what `l[2]` is.
 */
export function pathOf(frame: Frame, expression: Expression): string | undefined {
  switch (expression.kind) {
    case 'name':
      return frame.flow.names.has(expression.id) ? expression.id : undefined;
    case 'attribute': {
      const path = pathOf(frame, expression.object);
      return path === undefined ? undefined : `${path}${STEP}.${expression.name}`;
    }
    case 'subscript': {
      const constant = constantIn(frame, expression.index);
      const key = constant && keyOf(constant);
      if (key === undefined || (typeof constant?.constant === 'number' && constant.constant < 0)) return undefined;
      const path = pathOf(frame, expression.object);
      return path === undefined ? undefined : `${path}${STEP}[${key}`;
    }
    default:
      return undefined;
  }
}

/** The index of a subscript, as it is written. */
export function evaluateIndex(frame: Frame, index: Expression): Index {
  const slot = frame.evaluate(index);
  return index.kind === 'slice' ? boundsOf(frame, index) : { kind: 'key', slot };
}

/** The bounds of a slice, where each is known or left out. */
function boundsOf(frame: Frame, slice: SliceExpression): Index {
  const bounds = [slice.lower, slice.upper, slice.step].map((each) => {
    if (!each || each.kind === 'none') return { known: true, value: undefined };
    const value = constantIn(frame, each)?.constant;
    return typeof value === 'number' ? { known: true, value } : { known: false, value: undefined };
  });
  const [lower, upper, step] = bounds.map(({ value }) => value);
  return {
    kind: 'slice',
    bounds: bounds.every(({ known }) => known) ? { lower, upper, step } : undefined,
    where: slice,
  };
}

/** Numbers that may be a key of something worth following; a program has millions of others. */
function isIndex(type: string, value: number): boolean {
  return type === 'int' && value <= MAX_ITEMS;
}

/** The one text or number that an expression is, where reading it is enough to tell. */
export function constantIn(frame: Frame, expression: Expression): ConstantValue | undefined {
  const { program } = frame;
  switch (expression.kind) {
    case 'string':
      return expression.isBytes ? program.any('PyBytes') : program.constant('PyStr', expression.value);
    case 'number': {
      const value = Number(expression.text.replaceAll('_', ''));
      return isIndex(expression.type, value) ? program.constant('PyNum', value) : program.any('PyNum');
    }
    case 'boolean':
      return program.constant('PyNum', Number(expression.value));
    case 'unary': {
      const operand = constantIn(frame, expression.operand);
      if (expression.operator !== '-' || typeof operand?.constant !== 'number') return undefined;
      return program.constant('PyNum', -operand.constant);
    }
    case 'binary': {
      const [left, right] = [
        constantIn(frame, expression.left)?.constant,
        constantIn(frame, expression.right)?.constant,
      ];
      if (expression.operator === '+' && typeof left === 'string' && typeof right === 'string')
        return program.constant('PyStr', left + right);
      if (typeof left !== 'number' || typeof right !== 'number') return undefined;
      if (expression.operator === '+') return program.constant('PyNum', left + right);
      return expression.operator === '-' ? program.constant('PyNum', left - right) : undefined;
    }
    case 'name': {
      const [value, ...others] = frame.flow.names.get(expression.id)?.values ?? [];
      const slot = frame.flow.names.get(expression.id);
      if (!value || others.length > 0 || value.kind !== 'constant') return undefined;
      return program.slotFor(value) === slot ? value : undefined;
    }
    default:
      return undefined;
  }
}
