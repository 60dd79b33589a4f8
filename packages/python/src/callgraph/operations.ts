import type { BinaryExpression, ComparisonExpression, Expression } from '../syntax';
import { ContainerValue } from './containers';
import { evaluate } from './expressions';
import { either, joined } from './flow';
import type { Frame } from './frame';
import { operate } from './items';
import { narrow } from './narrowing';
import { constantIn, OPERATORS } from './operators';
import { Slot } from './slot';

export function evaluateBinary(frame: Frame, expression: BinaryExpression): Slot {
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

export function evaluateLogical(frame: Frame, left: Expression, right: Expression, operator: 'and' | 'or'): Slot {
  const one = evaluate(frame, left);
  const before = frame.flow;
  frame.flow = before.fork();
  if (operator === 'and') narrow(frame, left);
  const other = evaluate(frame, right);
  frame.flow = joined(frame.solver, before, frame.flow);
  return either(frame.solver, one, other);
}

export function evaluateComparison(frame: Frame, { left, rest }: ComparisonExpression): Slot {
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
