import { cleaned, eachStatement, type FunctionStatement, type Python } from '@pointsman/python';
import type { ObservedCall, Specification } from '../../contract';
import { appendTo } from './append';
import { type DescribedFunction, observedTypes } from './described';
import { chooseExamples } from './examples';

/**
 * The specification without a model: the docstring as it is, with the types of arguments and results, the exceptions and up
 * to three examples that were seen while the harness ran. Nothing is guessed; without calls it is the docstring, dedented.
 */
export function typesSpecification(described: DescribedFunction, calls: readonly ObservedCall[]): Specification {
  const types = observedTypes(described, calls);
  const examples = chooseExamples(described, calls);
  return {
    original: described.docstring,
    refined: appendTo(cleaned(described.docstring), described, { types, examples }),
    by: 'types',
    argumentTypes: { ...types.arguments },
    returnTypes: [...types.returned],
  };
}

/**
 * A function's header (decorators and `def` line, to the colon, as its file has them) with a docstring under it, as one
 * would write it: indented one step further than `def`, in triple double quotes, quotes and backslashes escaped so that
 * Python reads exactly `docstring`. Gives no body.
 */
export function signatureWithDocstring(header: string, docstring: string): string {
  const outer = /^[ \t]*/.exec(header)![0];
  const indent = outer + (outer.includes('\t') ? '\t' : '    ');
  const text = docstring
    .replaceAll('\\', '\\\\')
    // No three in a row, and none that would run into those that close.
    .replace(/"(?="|$)/g, '\\"')
    .replaceAll('\0', '\\x00')
    .replaceAll('\r', '\\r')
    .replaceAll('\f', '\\f');
  const lines = text.split('\n').map((line, at) => (at === 0 || line === '' ? line : indent + line));
  const closing = lines.length > 1 ? `\n${indent}"""` : '"""';
  return `${header.trimEnd()}\n${indent}"""${lines.join('\n')}${closing}`;
}

/** A signature (`def` line to the end of its docstring, if it has one) with another docstring in its place. */
export function redocumented(python: Python, signature: string, docstring: string): string {
  const margin = /^[ \t]*(?=(?:async[ \t]+)?def\b)/m.exec(signature)?.[0] ?? '';
  const { body } = python.parse('signature.py', `${signature.trimEnd()}\n${margin}    pass\n`);
  let found: FunctionStatement | undefined;
  eachStatement(body, (each) => {
    if (each.kind === 'function') found ??= each;
    return found === undefined;
  });
  const documented = found?.docstring === undefined ? undefined : found.body[0];
  return signatureWithDocstring(documented ? signature.slice(0, documented.start) : signature, docstring);
}
