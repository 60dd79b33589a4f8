import type {
  Expression,
  IfStatement,
  ImportFromStatement,
  ImportStatement,
  ModuleSyntax,
  Statement,
  TryStatement,
} from './syntax';
import { blocksOf, childrenOf, expressionsIn, namesInPattern, namesInTarget } from './walk';

/** One way in which a scope comes to hold a name. */
export interface BoundName {
  /** `*` for a star import. */
  readonly name: string;
  readonly kind: 'function' | 'class' | 'import' | 'variable' | 'delete';
  /** The innermost statement that binds it. */
  readonly statement: Statement;
  readonly imported: ImportedFrom | undefined;
}

/** What an imported name stands for, as the statement says it. */
export interface ImportedFrom {
  readonly statement: ImportStatement | ImportFromStatement;
  /** Leading dots; 0 for an absolute import. */
  readonly level: number;
  readonly module: string;
  /** Name taken from the module; undefined where the module itself is meant. */
  readonly name: string | undefined;
}

/** Names that a statement binds in its own scope, blocks inside included, definitions inside of functions and classes not. */
export function namesBoundBy(statement: Statement): BoundName[] {
  const found: BoundName[] = [];
  collect(statement, found);
  return found;
}

function collect(statement: Statement, found: BoundName[]): void {
  const add = (name: string, kind: BoundName['kind'] = 'variable') =>
    found.push({ name, kind, statement, imported: undefined });
  for (const each of expressionsIn(statement)) walrusTargets(each, add);
  switch (statement.kind) {
    case 'function':
    case 'class':
      add(statement.name, statement.kind);
      return;
    case 'assign':
      for (const target of statement.targets) for (const name of namesInTarget(target)) add(name);
      return;
    case 'annotatedAssign':
      if (statement.value) for (const name of namesInTarget(statement.target)) add(name);
      return;
    case 'typeAlias':
      add(statement.name);
      return;
    case 'delete':
      for (const target of statement.targets) for (const name of namesInTarget(target)) add(name, 'delete');
      return;
    case 'import':
    case 'importFrom':
      found.push(...importedBy(statement));
      return;
    case 'for':
      for (const name of namesInTarget(statement.target)) add(name);
      break;
    case 'with':
      for (const { target } of statement.items) for (const name of target ? namesInTarget(target) : []) add(name);
      break;
    case 'match':
      for (const { pattern } of statement.cases) for (const name of namesInPattern(pattern)) add(name);
      break;
    case 'try':
      for (const { name } of statement.handlers) if (name !== undefined) add(name);
      break;
    default:
  }
  for (const block of blocksOf(statement)) for (const each of block) collect(each, found);
}

export function importedBy(statement: ImportStatement | ImportFromStatement): BoundName[] {
  return statement.names.map(({ name, alias }): BoundName => {
    if (statement.kind === 'importFrom') {
      const imported = { statement, level: statement.level, module: statement.module, name };
      return { name: alias ?? name, kind: 'import', statement, imported };
    }
    // `import a.b` binds `a`, `import a.b as c` binds the module `a.b`.
    const module = alias === undefined ? name.split('.')[0]! : name;
    return {
      name: alias ?? module,
      kind: 'import',
      statement,
      imported: { statement, level: 0, module, name: undefined },
    };
  });
}

/** A walrus inside of a comprehension binds in the scope around it; one inside of a lambda stays there. */
function walrusTargets(expression: Expression, add: (name: string) => void): void {
  if (expression.kind === 'lambda') return;
  if (expression.kind === 'walrus') add(expression.target.id);
  for (const inner of childrenOf(expression)) walrusTargets(inner, add);
}

/** A branch of an `if` or `try` at a module's top level. A number is the handler's. */
interface Branch {
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
