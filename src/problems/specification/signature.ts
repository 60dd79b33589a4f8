import { eachStatement, type FunctionStatement, type Python } from '../python';

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
