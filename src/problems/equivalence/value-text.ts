import type { ValueTree } from '../../contract';
import { floatOf, floatText } from './value-float';

/** Elements of one container that are written. */
const SHOWN = 20;
const DEPTH = 8;

/**
 * A value as Python would write it, as far as it can, for people and models: `{'a': [1, 2.5]}`, `pkg.Point(x=1)`. At most `width`
 * characters. For reading only: it is not always an expression.
 */
export function valueText(tree: ValueTree, width = 400): string {
  const text = written(tree, 0);
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 3))}...`;
}

function written(tree: ValueTree, depth: number): string {
  if (depth > DEPTH) return '...';
  switch (tree.t) {
    case 'none':
      return 'None';
    case 'bool':
      return tree.v ? 'True' : 'False';
    case 'int':
      return tree.v;
    case 'float':
      return floatText(floatOf(tree.v));
    case 'complex':
      return `complex(${floatText(floatOf(tree.re))}, ${floatText(floatOf(tree.im))})`;
    case 'str':
      return pythonString(tree.v) + (tree.cut ? `... (${tree.cut.of} characters)` : '');
    case 'bytes':
      return pythonBytes(tree.v) + (tree.cut ? `... (${tree.cut.of} bytes)` : '');
    case 'list':
    case 'tuple':
    case 'set':
    case 'frozenset':
    case 'deque':
      return container(tree, depth);
    case 'iterator': {
      const raised = tree.raised ? [`raises ${nameOf(tree.raised)}`] : [];
      return `<iterator: ${[...elements(tree.v, depth, tree.cut !== undefined), ...raised].join(', ')}>`;
    }
    case 'dict': {
      const pairs = tree.v.slice(0, SHOWN).map(([k, v]) => `${written(k, depth + 1)}: ${written(v, depth + 1)}`);
      if (tree.v.length > SHOWN || tree.cut) pairs.push('...');
      const plain = `{${pairs.join(', ')}}`;
      return tree.type === undefined ? plain : `${tree.type}(${plain})`;
    }
    case 'scalar':
      return tree.type === 'str' || tree.type === 'range' || tree.type === 'slice'
        ? tree.v
        : `<${tree.type} ${tree.v}>`;
    case 'array': {
      const inner = elements(tree.v, depth, tree.cut !== undefined).join(', ');
      return `${tree.type}(${tree.shape.length === 0 ? inner : `[${inner}]`}, dtype=${tree.dtype}${shapeText(tree.shape)})`;
    }
    case 'frame': {
      const columns = tree.columns.map(
        (column, at) => `${written(column, depth + 1)}: ${written(tree.v[at] ?? tree.index, depth + 1)}`,
      );
      return `${tree.type}({${columns.slice(0, SHOWN).join(', ')}})`;
    }
    case 'exception':
      return `${tree.type}(${elements(tree.v, depth, false).join(', ')})`;
    case 'name':
      return tree.v;
    case 'object':
      return object(tree, depth);
    case 'ref':
      return '<as above>';
    case 'opaque':
      return `<${tree.type}: ${tree.why}>`;
    default:
      return tree satisfies never;
  }
}

/** What stands for the type of a value in a sentence: `int`, `list`, `pkg.Point`. */
export function typeText(tree: ValueTree): string {
  switch (tree.t) {
    case 'none':
      return 'None';
    case 'list':
    case 'tuple':
    case 'set':
    case 'frozenset':
    case 'deque':
    case 'dict':
      return tree.type ?? tree.t;
    case 'scalar':
    case 'exception':
    case 'object':
    case 'opaque':
    case 'frame':
      return tree.type;
    case 'array':
      return `${tree.type} of ${tree.dtype}`;
    case 'name':
      return `the ${tree.kind} ${tree.v}`;
    case 'bool':
    case 'int':
    case 'float':
    case 'complex':
    case 'str':
    case 'bytes':
    case 'iterator':
    case 'ref':
      return tree.t;
    default:
      return tree satisfies never;
  }
}

function container(
  tree: Extract<ValueTree, { t: 'list' | 'tuple' | 'set' | 'frozenset' | 'deque' }>,
  depth: number,
): string {
  const inner = elements(tree.v, depth, tree.cut !== undefined);
  const plain = bracketed(tree.t, inner);
  return tree.type === undefined ? plain : `${tree.type}(${plain})`;
}

function bracketed(t: 'list' | 'tuple' | 'set' | 'frozenset' | 'deque', inner: readonly string[]): string {
  const joined = inner.join(', ');
  switch (t) {
    case 'list':
      return `[${joined}]`;
    case 'tuple':
      return inner.length === 1 ? `(${joined},)` : `(${joined})`;
    case 'set':
      return inner.length === 0 ? 'set()' : `{${joined}}`;
    case 'frozenset':
    case 'deque':
      return `${t}([${joined}])`;
    default:
      return t satisfies never;
  }
}

function elements(trees: readonly ValueTree[], depth: number, more: boolean): string[] {
  const shown = trees.slice(0, SHOWN).map((one) => written(one, depth + 1));
  return more || trees.length > SHOWN ? [...shown, '...'] : shown;
}

function object(tree: Extract<ValueTree, { t: 'object' }>, depth: number): string {
  const parts = tree.state.slice(0, SHOWN).map(([name, value]) => `${name}=${written(value, depth + 1)}`);
  // A call that only returned something reads as that.
  if (tree.type === 'call' && tree.state.length === 1 && tree.state[0]![0] === 'returned') {
    return written(tree.state[0]![1], depth);
  }
  return tree.type === 'call' ? `<${parts.join(', ')}>` : `${tree.type}(${parts.join(', ')})`;
}

const nameOf = (tree: ValueTree) => (tree.t === 'exception' ? tree.type : written(tree, DEPTH));
const shapeText = (shape: readonly number[]) => (shape.length > 1 ? `, shape=(${shape.join(', ')})` : '');

function pythonString(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = [...text].map((character) => {
    if (character === '\\') return '\\\\';
    if (character === quote) return `\\${quote}`;
    if (character === '\n') return '\\n';
    if (character === '\r') return '\\r';
    if (character === '\t') return '\\t';
    const code = character.codePointAt(0)!;
    return code < 32 || code === 127 ? `\\x${code.toString(16).padStart(2, '0')}` : character;
  });
  return `${quote}${escaped.join('')}${quote}`;
}

function pythonBytes(base64: string): string {
  const text = Array.from(Buffer.from(base64, 'base64').toString('latin1'), (character) => {
    const code = character.charCodeAt(0);
    if (character === '\\' || character === "'") return `\\${character}`;
    return code < 32 || code > 126 ? `\\x${code.toString(16).padStart(2, '0')}` : character;
  });
  return `b'${text.join('')}'`;
}
