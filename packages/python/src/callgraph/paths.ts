import type { Expression, SliceExpression } from '../syntax';
import { keyOf } from './containers';
import { STEP } from './flow';
import type { Frame } from './frame';
import type { Index } from './items';
import { constantIn } from './operators';

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

/** The bounds of a slice, where each is known or left out. */
export function indexOf(frame: Frame, slice: SliceExpression): Index {
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
