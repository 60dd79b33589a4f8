import { type Expression, eachExpression, eachStatement, expressionsIn, type Unit } from '../syntax';

/**
 * Attributes that are read from a module by another name: `filters = nx.filters` and then `filters.show_nodes`. Undefined
 * where the name is used for anything else, so that anything of the module may be meant.
 */
export function attributesOfAlias(unit: Unit, node: Pick<Expression, 'start' | 'end'>): string[] | undefined {
  const aliases = new Set<string>();
  eachStatement([unit.statement], (statement) => {
    if (statement.kind === 'assign' && statement.value.start === node.start && statement.value.end === node.end)
      for (const target of statement.targets) aliases.add(target.kind === 'name' ? target.id : '');
    return undefined;
  });
  if (aliases.size === 0 || aliases.has('') || unit.statement.kind === 'assign') return undefined;
  const attributes = new Set<string>();
  let uses = 0;
  let reads = 0;
  let targets = 0;
  eachStatement([unit.statement], (statement) => {
    if (statement.kind === 'assign')
      targets += statement.targets.filter((each) => each.kind === 'name' && aliases.has(each.id)).length;
    for (const expression of expressionsIn(statement))
      eachExpression(expression, (each) => {
        if (each.kind === 'name' && aliases.has(each.id)) uses++;
        if (each.kind === 'attribute' && each.object.kind === 'name' && aliases.has(each.object.id)) {
          attributes.add(each.name);
          reads++;
        }
        return undefined;
      });
    return undefined;
  });
  return uses === reads + targets ? [...attributes] : undefined;
}
