import type { Expression } from '../syntax';
import { MAX_ITEMS } from './containers';
import type { Frame } from './frame';
import type { OperatorNames } from './items';
import type { ConstantValue } from './values';

const binary = (name: string): OperatorNames => ({ method: `__${name}__`, reflected: `__r${name}__` });
const compared = (name: string, reflected: string): OperatorNames => ({
  method: `__${name}__`,
  reflected: `__${reflected}__`,
});

/** Special methods behind operators. */
export const OPERATORS: Readonly<Record<string, OperatorNames | undefined>> = {
  '+': binary('add'),
  '-': binary('sub'),
  '*': binary('mul'),
  '/': binary('truediv'),
  '//': binary('floordiv'),
  '%': binary('mod'),
  '**': binary('pow'),
  '@': binary('matmul'),
  '&': binary('and'),
  '|': binary('or'),
  '^': binary('xor'),
  '<<': binary('lshift'),
  '>>': binary('rshift'),
  '==': compared('eq', 'eq'),
  '!=': compared('ne', 'ne'),
  '<': compared('lt', 'gt'),
  '>': compared('gt', 'lt'),
  '<=': compared('le', 'ge'),
  '>=': compared('ge', 'le'),
};

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
