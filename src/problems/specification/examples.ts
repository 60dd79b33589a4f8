import type { ObservedCall } from '../../contract';
import type { DescribedFunction } from './described';

/** Columns of one line of an example. */
const WIDTH = 76;
const MOST_EXAMPLES = 3;

export interface Example {
  /** `countby(len, ['a', 'bc'])` */
  readonly call: string;
  /** What Python would print. */
  readonly result: string;
}

/**
 * Calls that were seen, as one would write them into a docstring: short, readable, telling different types apart. A call
 * that gave two results is no example of either, and one that gave None prints nothing.
 */
export function chooseExamples(described: DescribedFunction, calls: readonly ObservedCall[]): Example[] {
  const written = calls.flatMap((call) => {
    const text = writtenCall(described, call);
    return text === null
      ? []
      : [{ call: text, result: call.returned?.repr ?? '', shape: shapeOf(call), returned: call.returned }];
  });
  const results = new Map<string, Set<string>>();
  for (const { call, result } of written) results.set(call, (results.get(call) ?? new Set()).add(result));
  const usable = written
    .filter(({ call, result, returned }) => returned && result !== 'None' && results.get(call)!.size === 1)
    .filter(({ call, result }) => readable(result) && call.length + 4 <= WIDTH && result.length <= WIDTH)
    .sort((a, b) => weight(a) - weight(b) || (a.call < b.call ? -1 : 1));
  const chosen: Example[] = [];
  for (const fresh of [true, false]) {
    const shapes = new Set<string>();
    for (const { call, result, shape } of usable) {
      if (chosen.length === MOST_EXAMPLES || chosen.some((each) => each.call === call)) continue;
      if (fresh && shapes.has(shape)) continue;
      shapes.add(shape);
      chosen.push({ call, result });
    }
  }
  return chosen;
}

/** The call as Python source, defaults left out; null where it cannot be written so that a reader could make it. */
export function writtenCall(described: DescribedFunction, { arguments: given }: ObservedCall): string | null {
  const values = new Map(given.map(({ name, repr }) => [name, repr]));
  const callee = calleeOf(described, values.get('self'));
  if (callee === null) return null;
  const spread = described.parameters.some(({ form, name }) => form === 'varPositional' && !isEmpty(values.get(name)));
  const out: string[] = [];
  let gap = false;
  for (const { name, form, default: fallback } of described.parameters) {
    const value = values.get(name);
    if (value !== undefined && !readable(value)) return null;
    const mayName = form === 'keywordOnly' || (form === 'positional' && !spread);
    // What has a default is read most easily by its name.
    const byName = mayName && (form === 'keywordOnly' || gap || fallback !== null);
    if (form === 'varPositional' || form === 'varKeyword') {
      if (!isEmpty(value)) out.push(`${form === 'varKeyword' ? '**' : '*'}${value}`);
    } else if (value === undefined || (mayName && fallback === value)) gap = true;
    else if (gap && !byName) return null;
    else out.push(byName ? `${name}=${value}` : value);
  }
  return `${callee}(${out.join(', ')})`;
}

function calleeOf({ name, kind, className }: DescribedFunction, self: string | undefined): string | null {
  if (className === null) return name;
  if (kind !== 'method') return `${className}.${name}`;
  // Only a repr that looks like the constructor's call tells how to come by the instance.
  return self?.startsWith(`${className}(`) && readable(self) ? `${self}.${name}` : null;
}

/** Nothing that was cut, that names an address, or that no source could be. */
function readable(repr: string): boolean {
  return !/[\n\r…]|\.\.\.|<[^<>]*>|\b0x[0-9a-f]{6,}\b/.test(repr);
}

function isEmpty(value: string | undefined): boolean {
  return value === undefined || value === '()' || value === '{}';
}

/** Short is good, but an empty argument shows little. */
function weight({ call, result }: Example): number {
  return call.length + result.length + (/\(\)|\[\]|\{\}|''/.test(call) ? 40 : 0);
}

function shapeOf({ arguments: given, returned }: ObservedCall): string {
  return [...given.map(({ type }) => type), returned?.type].join(' ');
}
