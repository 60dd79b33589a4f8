import {
  contextOf,
  describeSlice,
  type FunctionSyntax,
  type PythonIndex,
  sliceSyntax,
  targetOf,
  tokensOf,
} from '@pointsman/python';
import type { ContextKind, FunctionTarget, Lines, Slice } from '../contract';
import { referenceOf, signatureOf } from './candidate';
import { bodyLines } from './extraction';
import { type DescribedFunction, describeFunction } from './specification/described';

/** All that is read of a function before anything of it is run. */
export interface PreparedFunction {
  readonly target: FunctionTarget;
  readonly slice: Slice;
  /** |D_f|: items of the slice without the function itself. */
  readonly dependencies: number;
  readonly outOfFile: boolean;
  readonly reference: string;
  /** `def` line to the end of the docstring. */
  readonly signature: string;
  readonly described: DescribedFunction;
  /** Lines of the body that hold code, for telling whether a docstring gives it away. */
  readonly body: readonly string[];
  readonly size: { readonly lines: number; readonly tokens: number };
  /** For who writes a harness: the function whole. */
  readonly forAuthors: Readonly<Record<ContextKind, string>>;
  /** For who solves it: the function without its body, wherever it stands. */
  readonly forSolvers: Readonly<Record<ContextKind, string>>;
}

/** Reads a function of an index. `contextTokens` bounds each of its contexts. */
export function prepareFunction(index: PythonIndex, found: FunctionSyntax, contextTokens: number): PreparedFunction {
  const target = targetOf(found);
  const { syntax } = found.module;
  const slice = describeSlice(sliceSyntax(index, found));
  const others = slice.items.filter((item) => !isTarget(item.lines, item.outOfFile, target));
  const contexts = (withoutBody: boolean) => {
    const text = (kind: ContextKind) => contextOf(index, found, kind, { maxTokens: contextTokens, withoutBody }).text;
    return { naive: text('naive'), full: text('full'), sliced: text('sliced') };
  };
  const { bodySpan } = found;
  const body = bodySpan ? syntax.text.slice(bodySpan.start, bodySpan.end) : '';
  return {
    target,
    slice,
    dependencies: others.length,
    outOfFile: others.some(({ outOfFile }) => outOfFile),
    reference: referenceOf(syntax, target) ?? '',
    signature: signatureOf(syntax, target) ?? '',
    described: describeFunction(found.statement, syntax.text, target),
    body: body.split('\n').filter((line) => line.trim() !== ''),
    size: { lines: bodyLines(found), tokens: tokensOf(body) },
    forAuthors: contexts(false),
    forSolvers: contexts(true),
  };
}

/** The function's own item, or the class that it is a method of. */
function isTarget([first, last]: Lines, outOfFile: boolean, { lines }: FunctionTarget): boolean {
  return !outOfFile && first <= lines[0] && lines[1] <= last;
}
