import { decidedIn, type Expression, type PythonModule, type Unit } from '../syntax';

/** Expressions that decide whether a top-level statement runs: tests of its `if`s, exception types of its `try`s. */
export function guardsOf(module: PythonModule, unit: Unit): Expression[] {
  return unit.branches.flatMap(({ statement }) => {
    if (statement.kind === 'try') return statement.handlers.flatMap(({ type }) => (type ? [type] : []));
    return decidedIn(module, statement.test) === undefined ? [statement.test] : [];
  });
}

/** Imports and bare expressions of the `try` bodies that a statement stands in: whether they raise decides the branch. */
export function controlsOf(module: PythonModule, unit: Unit): Unit[] {
  const tries = unit.branches.filter(({ statement }) => statement.kind === 'try').map(({ statement }) => statement);
  if (tries.length === 0) return [];
  return module.units.filter(
    (each) =>
      each !== unit &&
      each.branches.some(
        ({ statement, branch }) => tries.includes(statement) && (branch === 'body' || each.statement.kind === 'raise'),
      ) &&
      ['import', 'importFrom', 'expression', 'raise', 'delete'].includes(each.statement.kind),
  );
}
