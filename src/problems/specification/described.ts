import type { Expression, FunctionStatement, Parameter } from '@pointsman/python';
import type { FunctionKind, ObservedCall } from '../../contract';

interface DescribedParameter {
  readonly name: string;
  readonly form: Parameter['form'];
  /** Source of its default; null where it has none. */
  readonly default: string | null;
}

/** What a specification needs to know of a function, without its body. */
export interface DescribedFunction {
  /** As it is called: `countby`, or `raw_items` of a method. */
  readonly name: string;
  readonly kind: FunctionKind;
  /** Name of the class of a method; null of a function. */
  readonly className: string | null;
  /** Without the `self` or `cls` that Python fills in. */
  readonly parameters: readonly DescribedParameter[];
  /** As the repository has it, not yet dedented. */
  readonly docstring: string;
}

/** `text` is the file's, `name` the function's within its module: `countby`, `Headers.raw_items`. */
export function describeFunction(
  statement: FunctionStatement,
  text: string,
  { name, kind }: { name: string; kind: FunctionKind },
): DescribedFunction {
  const bound = kind === 'method' || kind === 'classmethod';
  const source = (node: Expression | undefined) => (node ? text.slice(node.start, node.end) : null);
  return {
    name: statement.name,
    kind,
    className: name.includes('.') ? name.split('.').at(-2)! : null,
    parameters: statement.parameters
      .slice(bound ? 1 : 0)
      .map((each) => ({ name: each.name, form: each.form, default: source(each.default) })),
    docstring: statement.docstring ?? '',
  };
}

const MOST_TYPES = 4;

/** `builtins.int` → `int`, `NoneType` → `None`. */
function typeName(type: string): string {
  return type.replace(/\bbuiltins\./g, '').replace(/\b(types\.)?NoneType\b/g, 'None');
}

/** `int, str or None`; what is more than four is summed up. */
export function typeList(types: readonly string[]): string {
  const shown = types.length > MOST_TYPES ? [...types.slice(0, MOST_TYPES), 'others'] : types;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;
}

export interface ObservedTypes {
  /** By parameter, in the order of the parameters; those that were never seen are left out. */
  readonly arguments: Readonly<Record<string, string[]>>;
  readonly returned: string[];
  readonly raised: string[];
}

/** Types in the order of how often they were seen, `None` last, so that the usual one is named first. */
export function observedTypes({ parameters }: DescribedFunction, calls: readonly ObservedCall[]): ObservedTypes {
  const given = parameters.map(({ name }) => {
    const types = calls.flatMap((call) => call.arguments.filter((each) => each.name === name).map(({ type }) => type));
    return [name, byFrequency(types.map(typeName))] as const;
  });
  return {
    arguments: Object.fromEntries(given.filter(([, types]) => types.length > 0)),
    returned: byFrequency(calls.flatMap(({ returned }) => (returned ? [typeName(returned.type)] : []))),
    raised: byFrequency(calls.flatMap(({ raised }) => (raised ? [typeName(raised)] : []))),
  };
}

function byFrequency(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const rank = ([name, count]: [string, number]) => (name === 'None' ? 1 : -count);
  return [...counts].sort((a, b) => rank(a) - rank(b) || (a[0] < b[0] ? -1 : 1)).map(([name]) => name);
}
