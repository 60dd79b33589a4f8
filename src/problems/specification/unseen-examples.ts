import { type Argument, cleaned, type Expression, type Python } from '@pointsman/python';
import type { ObservedCall } from '../../contract';
import type { DescribedFunction } from './described';

interface Shown {
  readonly source: string;
  readonly result: string;
}

/**
 * Why a docstring shows what nobody saw; null where each of its examples is an observed call with its observed result, or
 * stands in the repository's own docstring. Examples are doctests, and `f(1) -> 2` or `f(1) returns 2` in prose.
 */
export function unseenExample(
  python: Python,
  docstring: string,
  described: DescribedFunction,
  calls: readonly ObservedCall[],
): string | null {
  const key = ({ source, result }: Shown) => JSON.stringify([source, result].map((text) => text.replace(/\s+/g, '')));
  const own = new Set(examplesIn(cleaned(described.docstring), described.name).map(key));
  const seen = calls.map((call) => observed(python, described, call));
  for (const shown of examplesIn(docstring, described.name)) {
    if (own.has(key(shown)) || isImport(python, shown)) continue;
    if (!seen.some((matches) => matches(shown))) {
      return `its example ${`${shown.source} gives ${shown.result}`.slice(0, 120)} is none of the observed calls`;
    }
  }
  return null;
}

function examplesIn(docstring: string, name: string): Shown[] {
  const lines = docstring.split('\n').map((line) => line.trim());
  const shown: Shown[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (!lines[at]!.startsWith('>>>')) {
      const prose = proseExample(lines[at]!, name);
      if (prose) shown.push(prose);
      continue;
    }
    const source = [lines[at]!.slice(3)];
    while (lines[at + 1]?.startsWith('...')) source.push(lines[++at]!.slice(3));
    const result: string[] = [];
    while (lines[at + 1] && !lines[at + 1]!.startsWith('>>>')) result.push(lines[++at]!);
    shown.push({ source: source.join('\n').trim(), result: result.join('\n').trim() });
  }
  return shown;
}

function proseExample(line: string, name: string): Shown | undefined {
  const call = new RegExp(
    `(?<![\\w.])(${escaped(name)}\\(.*?\\))\`*\\s*(?:->|=>|==|→|returns?|gives|yields)\\s+(.+)$`,
  ).exec(line);
  if (!call) return undefined;
  return { source: call[1]!, result: call[2]!.replace(/^`+|`*[.,;]?$/g, '').trim() };
}

function isImport(python: Python, { source, result }: Shown): boolean {
  const { body } = python.parse('example.py', source);
  return result === '' && body.length > 0 && body.every(({ kind }) => kind === 'import' || kind === 'importFrom');
}

/** Tells whether an example is this call: the same arguments, however they are passed, and the same result. */
function observed(python: Python, described: DescribedFunction, call: ObservedCall): (shown: Shown) => boolean {
  const value = (source: string) => canonical(python, source);
  const given = new Map(call.arguments.map(({ name, repr }) => [name, value(repr)]));
  const result = call.returned === null ? null : call.returned.repr === 'None' ? value('') : value(call.returned.repr);
  return ({ source, result: expected }) => {
    const [statement, ...others] = python.parse('example.py', source).body;
    if (others.length > 0 || statement?.kind !== 'expression' || statement.value.kind !== 'call') return false;
    const { callee, arguments: passed } = statement.value;
    const named = callee.kind === 'name' ? callee.id : callee.kind === 'attribute' ? callee.name : '';
    if (named !== described.name || result === null || value(expected) !== result) return false;
    const bound = boundArguments(described, passed, (each) => value(source.slice(each.start, each.end)));
    if (bound === null) return false;
    return described.parameters.every(({ name, form, default: fallback }) => {
      const omitted = form.startsWith('var') ? value(form === 'varKeyword' ? '{}' : '()') : value(fallback ?? '');
      return (bound.get(name) ?? omitted) === (given.get(name) ?? omitted);
    });
  };
}

/** Argument by parameter; null where the call cannot be the function's. */
function boundArguments(
  { parameters }: DescribedFunction,
  passed: readonly Argument[],
  value: (each: Expression) => string,
): Map<string, string> | null {
  const positional = parameters.filter(({ form }) => form === 'positional' || form === 'positionalOnly');
  const bound = new Map<string, string>();
  const spread = { '*': 'varPositional', '**': 'varKeyword' } as const;
  let next = 0;
  for (const argument of passed) {
    const name = argument.spread
      ? parameters.find(({ form }) => form === spread[argument.spread!])?.name
      : (argument.name ?? positional[next++]?.name);
    if (name === undefined || bound.has(name) || !parameters.some((each) => each.name === name)) return null;
    bound.set(name, value(argument.value));
  }
  return bound;
}

/** Equal for sources that differ in white space, quotes or brackets that change nothing. */
function canonical(python: Python, source: string): string {
  const { body, errors } = python.parse('value.py', source.trim());
  if (errors.length > 0) return source.replace(/\s+/g, ' ').trim();
  const places = new Set(['start', 'end', 'line', 'endLine']);
  return JSON.stringify(body, (name, each: unknown) => (places.has(name) ? undefined : each));
}

function escaped(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
