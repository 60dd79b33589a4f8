import type { Binding } from './bindings';
import type { Expression, Statement } from './syntax';

/** What a module's `__all__` lists, or undefined where it has none or builds it in ways that cannot be read. */
export function listedNames(
  body: readonly Statement[],
  bindings: ReadonlyMap<string, readonly Binding[]>,
  namesOf: (expression: Expression) => readonly string[] | undefined,
): string[] | undefined {
  if (!bindings.has('__all__')) return undefined;
  const names: string[] = [];
  for (const statement of flattened(body)) {
    const added = addedBy(statement);
    if (!added) continue;
    const list = stringsIn(added, namesOf);
    if (!list) return undefined;
    if (statement.kind === 'assign') names.length = 0;
    names.push(...list);
  }
  return names;
}

function flattened(block: readonly Statement[]): Statement[] {
  return block.flatMap((statement) => {
    if (statement.kind === 'if') return [...flattened(statement.body), ...flattened(statement.orElse)];
    if (statement.kind === 'try') return [...flattened(statement.body), ...flattened(statement.orElse)];
    return [statement];
  });
}

/** The list that a statement makes `__all__` of, or adds to it. */
function addedBy(statement: Statement): Expression | undefined {
  if (statement.kind === 'assign' && statement.targets.some(isAll)) return statement.value;
  if (statement.kind === 'annotatedAssign' && isAll(statement.target)) return statement.value;
  if (statement.kind === 'augmentedAssign' && isAll(statement.target)) return statement.value;
  if (statement.kind !== 'expression' || statement.value.kind !== 'call') return undefined;
  const { callee, arguments: given } = statement.value;
  if (callee.kind !== 'attribute' || !isAll(callee.object)) return undefined;
  const value = given[0]?.value;
  if (callee.name !== 'append' || !value) return value;
  return { ...value, kind: 'list', elements: [value] };
}

function isAll(expression: Expression): boolean {
  return expression.kind === 'name' && expression.id === '__all__';
}

function stringsIn(
  expression: Expression,
  namesOf: (expression: Expression) => readonly string[] | undefined,
): readonly string[] | undefined {
  if (expression.kind === 'list' || expression.kind === 'tuple' || expression.kind === 'set') {
    const names: string[] = [];
    for (const each of expression.elements) {
      if (each.kind === 'string') names.push(each.value);
      else if (each.kind === 'starred') names.push(...(stringsIn(each.value, namesOf) ?? []));
      else return undefined;
    }
    return names;
  }
  if (expression.kind === 'binary' && expression.operator === '+') {
    const [left, right] = [stringsIn(expression.left, namesOf), stringsIn(expression.right, namesOf)];
    return left && right && [...left, ...right];
  }
  return namesOf(expression);
}
