import {
  blocksOf,
  type ClassStatement,
  type FunctionStatement,
  type ModuleSyntax,
  type Statement,
} from '@pointsman/python';
import type { FunctionTarget } from '../../contract';

/** A function with the classes that it stands in, outermost first. */
export interface Placed {
  readonly statement: FunctionStatement;
  readonly classes: readonly ClassStatement[];
}

/**
 * The definition of a target: the one at its lines, else the last one of its name that is no `@overload`. Definitions
 * under `if` and `try` count; functions inside of functions do not. Undefined when the text has none.
 */
export function functionAt(module: ModuleSyntax, target: Pick<FunctionTarget, 'name' | 'lines'>): Placed | undefined {
  const found = definitionsOf(module.body, target.name.split('.'));
  const exact = found.find(({ statement }) => statement.line === target.lines[0] && !isOverload(statement));
  return exact ?? found.findLast(({ statement }) => !isOverload(statement)) ?? found.at(-1);
}

/** All definitions of a dotted name, in order. */
export function definitionsOf(
  body: readonly Statement[],
  path: readonly string[],
  classes: readonly ClassStatement[] = [],
): Placed[] {
  const [name, ...inner] = path;
  return body.flatMap((statement): Placed[] => {
    if (statement.kind === 'function') {
      return statement.name === name && inner.length === 0 ? [{ statement, classes }] : [];
    }
    if (statement.kind === 'class') {
      return statement.name === name && inner.length > 0
        ? definitionsOf(statement.body, inner, [...classes, statement])
        : [];
    }
    return blocksOf(statement).flatMap((block) => definitionsOf(block, path, classes));
  });
}

export function isOverload({ decorators }: FunctionStatement): boolean {
  return decorators.some(
    (each) =>
      (each.kind === 'name' && each.id === 'overload') || (each.kind === 'attribute' && each.name === 'overload'),
  );
}

/** The statements of a function without its docstring. */
export function bodyOf({ body, docstring }: FunctionStatement): readonly Statement[] {
  return docstring === undefined ? body : body.slice(1);
}
