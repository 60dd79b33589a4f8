import {
  blocksOf,
  eachExpression,
  eachStatement,
  expressionsIn,
  namesInTarget,
  type Statement,
} from '@pointsman/python';

/** Names that a statement binds in the scope in which it stands. */
export function boundBy(statement: Statement): string[] {
  switch (statement.kind) {
    case 'function':
    case 'class':
    case 'typeAlias':
      return [statement.name];
    case 'import':
      return statement.names.map(({ name, alias }) => alias ?? name.split('.')[0]!);
    case 'importFrom':
      return statement.names.map(({ name, alias }) => alias ?? name);
    case 'assign':
      return statement.targets.flatMap(namesInTarget);
    case 'augmentedAssign':
    case 'annotatedAssign':
      return namesInTarget(statement.target);
    case 'for':
      return [...namesInTarget(statement.target), ...boundInside(statement)];
    case 'with':
      return [
        ...statement.items.flatMap(({ target }) => (target ? namesInTarget(target) : [])),
        ...boundInside(statement),
      ];
    default:
      return boundInside(statement);
  }
}

function boundInside(statement: Statement): string[] {
  return blocksOf(statement).flatMap((block) => block.flatMap(boundBy));
}

/** Names and names of attributes that stand anywhere in some statements, in nested definitions too. */
export function mentionedIn(statements: readonly Statement[]): { names: Set<string>; attributes: Set<string> } {
  const names = new Set<string>();
  const attributes = new Set<string>();
  eachStatement(statements, (statement) => {
    for (const expression of expressionsIn(statement)) {
      eachExpression(expression, (each) => {
        if (each.kind === 'name') names.add(each.id);
        if (each.kind === 'attribute') attributes.add(each.name);
        return undefined;
      });
    }
    return undefined;
  });
  return { names, attributes };
}
