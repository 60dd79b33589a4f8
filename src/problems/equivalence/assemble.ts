import type { ContextKind, Harness, HarnessAuthor } from '../../contract';
import { shareImports } from './imports';
import { wrapPython } from './wrap-python';

const WIDTH = 100;
const INDENT = 4;

/** A call as Python that makes it again, as a recorder or a generator gives it. */
export interface CallSource {
  /** Statements that come first: imports, helpers. */
  readonly setup: readonly string[];
  readonly body: readonly string[];
  /** Equal for calls that differ in nothing that can be seen. */
  readonly digest: string;
  /** Types of the arguments. */
  readonly shape: string;
  /** Where it was seen; may be empty. */
  readonly test: string;
}

export interface AssembleOptions {
  readonly author: HarnessAuthor;
  readonly context: ContextKind;
  /** Cases at most; those are taken first whose shapes of arguments differ. */
  readonly limit: number;
}

/**
 * Makes a harness of calls as source: one case a call, equal calls once, imports at the head. The same calls give the same
 * text, whatever order they come in within their shapes. No calls give a harness without cases.
 */
export function assembleHarness(calls: readonly CallSource[], { author, context, limit }: AssembleOptions): Harness {
  const chosen = chooseCalls(calls, limit);
  const digits = Math.max(3, String(chosen.length).length);
  const cases = chosen.map((_, at) => `case_${String(at + 1).padStart(digits, '0')}`);
  const { lines: imports, own } = shareImports(chosen.map(({ setup }) => setup));
  const functions = chosen.map((call, at) =>
    [`def ${cases[at]}(subject):`, ...origin(call), ...[...own[at]!, ...call.body].flatMap(indented)].join('\n'),
  );
  const head = imports.flatMap((line) => wrapImport(line)).join('\n');
  const source = [head, ...functions].filter((part) => part !== '').join('\n\n\n');
  return { author, context, mode: 'equivalence', source: source === '' ? '' : `${source}\n`, cases };
}

/** One call of each shape, then a second of each, and so on: variety first where there is no room for all. */
export function chooseCalls(calls: readonly CallSource[], limit: number): CallSource[] {
  const byShape = new Map<string, CallSource[]>();
  const seen = new Set<string>();
  for (const call of calls) {
    if (seen.has(call.digest)) continue;
    seen.add(call.digest);
    byShape.set(call.shape, [...(byShape.get(call.shape) ?? []), call]);
  }
  const shapes = [...byShape.values()];
  const rounds = Math.max(0, ...shapes.map((shape) => shape.length));
  return Array.from({ length: rounds }, (_, round) => shapes.flatMap((shape) => shape[round] ?? []))
    .flat()
    .slice(0, limit);
}

function origin({ test }: CallSource): string[] {
  const from = test.replace(/\s+/g, ' ').trim();
  return from === '' ? [] : [`${' '.repeat(INDENT)}# ${from}`.slice(0, WIDTH)];
}

/** Statements of several lines are code that was written so; none of them holds a string that goes over lines. */
function indented(statement: string): string[] {
  if (!statement.includes('\n')) return wrapPython(statement, INDENT, WIDTH);
  return statement.split('\n').map((line) => (line === '' ? '' : ' '.repeat(INDENT) + line));
}

function wrapImport(line: string): string[] {
  const [head, names] = line.split(' import ');
  if (line.length <= WIDTH || names === undefined) return [line];
  return [`${head} import (`, ...names.split(', ').map((name) => `${' '.repeat(INDENT)}${name},`), ')'];
}
