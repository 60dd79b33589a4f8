import { type BoundName, namesBoundBy } from './bindings';
import type { IfStatement, ModuleSyntax, Statement, TryStatement } from './syntax';

/** A branch of an `if` or `try` at a module's top level. A number is the handler's. */
export interface Branch {
  readonly statement: IfStatement | TryStatement;
  readonly branch: 'body' | 'orElse' | 'finally' | number;
}

/**
 * A statement of a module's top level, by itself: one inside of `if` and `try` stands alone with its branches; loops,
 * `with` and `match` are taken whole.
 */
export interface Unit {
  readonly statement: Statement;
  /** Outermost first. */
  readonly branches: readonly Branch[];
  readonly binds: readonly BoundName[];
}

/** A name of a module, and the unit that binds it. */
export interface Binding extends BoundName {
  readonly unit: Unit;
}

export function unitsOf(module: ModuleSyntax): Unit[] {
  const units: Unit[] = [];
  gather(module.body, [], units);
  return units;
}

function gather(block: readonly Statement[], branches: readonly Branch[], units: Unit[]): void {
  for (const statement of block) {
    if (statement.kind === 'if') {
      gather(statement.body, [...branches, { statement, branch: 'body' }], units);
      gather(statement.orElse, [...branches, { statement, branch: 'orElse' }], units);
    } else if (statement.kind === 'try') {
      gather(statement.body, [...branches, { statement, branch: 'body' }], units);
      statement.handlers.forEach(({ body }, at) => {
        gather(body, [...branches, { statement, branch: at }], units);
      });
      gather(statement.orElse, [...branches, { statement, branch: 'orElse' }], units);
      gather(statement.finally, [...branches, { statement, branch: 'finally' }], units);
    } else units.push({ statement, branches, binds: namesBoundBy(statement) });
  }
}
