import type { PythonIndex, PythonModule } from './repository';
import type { ClassStatement, Expression, FunctionStatement, Parameter, Span, Statement } from './syntax';
import { blocksOf, childrenOf, expressionsIn } from './walk';

export type FunctionKind = 'function' | 'method' | 'classmethod' | 'staticmethod';

/** A function or method as it stands in its module. */
export interface FunctionSyntax {
  readonly module: PythonModule;
  /** Within the module: `f`, `C.m`; inside of a function as Python's `__qualname__` has it, `f.<locals>.g`. */
  readonly qualname: string;
  readonly kind: FunctionKind;
  readonly statement: FunctionStatement;
  /** The class that it is a method of. */
  readonly owner: ClassStatement | undefined;
  readonly decorators: readonly Expression[];
  readonly parameters: readonly Parameter[];
  /** As it stands: see `cleaned`. */
  readonly docstring: string | undefined;
  /** First and last line, decorators included. */
  readonly lines: readonly [number, number];
  /** From the first statement after the docstring to the last; undefined where the docstring is all there is. */
  readonly bodySpan: Span | undefined;
  readonly isAsync: boolean;
  readonly isGenerator: boolean;
  /** Inside of another function. */
  readonly isNested: boolean;
}

/** All functions and methods of a repository, in the order of its files; those inside of functions are marked. */
export function functionsOf(index: PythonIndex): FunctionSyntax[] {
  return index.modules.flatMap(functionsIn);
}

/** All functions and methods of a module. */
export function functionsIn(module: PythonModule): FunctionSyntax[] {
  const found: FunctionSyntax[] = [];
  const visit = (
    block: readonly Statement[],
    prefix: string,
    owner: ClassStatement | undefined,
    nested: boolean,
  ): void => {
    for (const statement of block) {
      if (statement.kind === 'function') {
        const qualname = prefix + statement.name;
        found.push(functionOf(module, statement, qualname, owner, nested));
        visit(statement.body, `${qualname}.<locals>.`, undefined, true);
      } else if (statement.kind === 'class') visit(statement.body, `${prefix}${statement.name}.`, statement, nested);
      else for (const inner of blocksOf(statement)) visit(inner, prefix, owner, nested);
    }
  };
  visit(module.syntax.body, '', undefined, false);
  return found;
}

function functionOf(
  module: PythonModule,
  statement: FunctionStatement,
  qualname: string,
  owner: ClassStatement | undefined,
  isNested: boolean,
): FunctionSyntax {
  const body = statement.docstring === undefined ? statement.body : statement.body.slice(1);
  const [first, last] = [body[0], body.at(-1)];
  return {
    module,
    qualname,
    kind: kindOf(statement, owner),
    statement,
    owner,
    decorators: statement.decorators,
    parameters: statement.parameters,
    docstring: statement.docstring,
    lines: [statement.line, statement.endLine],
    bodySpan: first && last && { start: first.start, end: last.end, line: first.line, endLine: last.endLine },
    isAsync: statement.isAsync,
    isGenerator: yields(statement.body),
    isNested,
  };
}

function kindOf(statement: FunctionStatement, owner: ClassStatement | undefined): FunctionKind {
  if (!owner) return 'function';
  const has = (name: string) => statement.decorators.some((each) => each.kind === 'name' && each.id === name);
  if (has('staticmethod') || statement.name === '__new__') return 'staticmethod';
  const implicit = ['__init_subclass__', '__class_getitem__'].includes(statement.name);
  return has('classmethod') || implicit ? 'classmethod' : 'method';
}

function yields(block: readonly Statement[]): boolean {
  return block.some((statement) => {
    if (statement.kind === 'function' || statement.kind === 'class') return false;
    return expressionsIn(statement).some(yieldsIn) || blocksOf(statement).some(yields);
  });
}

function yieldsIn(expression: Expression): boolean {
  if (expression.kind === 'lambda') return false;
  return expression.kind === 'yield' || expression.kind === 'yieldFrom' || childrenOf(expression).some(yieldsIn);
}
