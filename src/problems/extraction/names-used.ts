import {
  type Expression,
  eachExpression,
  eachStatement,
  expressionsIn,
  type FunctionSyntax,
  type Resolution,
  type Resolver,
  type Statement,
  usesIn,
} from '@pointsman/python';
import { identifierWords } from './identifier-words';

export interface NamesUsed {
  /** What names from elsewhere stand for after the imports are followed: `subprocess.run`, `builtins.input`. */
  readonly dotted: ReadonlySet<string>;
  /** Definitions of the repository, itself left out, as `path:name`; members of its own class that it reaches by `self`. */
  readonly own: ReadonlySet<string>;
}

/** What the names that a function uses stand for. Annotations count: they say what it needs as well as code does. */
export function namesUsed(found: FunctionSyntax, resolver: Resolver): NamesUsed {
  const { module, statement, qualname } = found;
  const dotted = new Set<string>();
  const own = new Set<string>();
  for (const { name, path, imported } of usesIn(statement)) {
    const resolution: Resolution = imported
      ? resolver.imported(module, imported, path)
      : resolver.resolve(module, name, path);
    if (resolution.entities.length === 0) dotted.add(['builtins', name, ...path].join('.'));
    for (const entity of resolution.entities) {
      if (entity.kind === 'external') dotted.add(entity.name);
      if (entity.kind === 'definition') own.add(`${entity.module.path}:${entity.binding.name}`);
      if (entity.kind === 'module') own.add(`${entity.module.path}:`);
    }
  }
  // What stands for the function is its own definition: of a method its class.
  own.delete(`${module.path}:${qualname.split('.')[0]}`);
  for (const member of membersReached(found)) own.add(`${module.path}:${member}`);
  return { dotted, own };
}

/** Other functions and values of its class that a method reaches through its first parameter. */
function membersReached({ owner, statement, qualname, kind }: FunctionSyntax): string[] {
  const self = kind === 'staticmethod' ? undefined : statement.parameters[0]?.name;
  if (!owner || self === undefined) return [];
  const members = new Set(owner.body.flatMap(definedBy));
  const reached = new Set<string>();
  eachCode(statement.body, (each) => {
    if (each.kind !== 'attribute' || each.object.kind !== 'name' || each.object.id !== self) return;
    if (members.has(each.name) && each.name !== statement.name) reached.add(each.name);
  });
  return [...reached].map((name) => `${qualname.slice(0, qualname.lastIndexOf('.'))}.${name}`);
}

function definedBy(statement: Statement): string[] {
  if (statement.kind === 'function' || statement.kind === 'class') return [statement.name];
  const targets = statement.kind === 'assign' ? statement.targets : [];
  return targets.flatMap((target) => (target.kind === 'name' ? [target.id] : []));
}

/** Longer strings are messages, which say nothing of what a function needs. */
const SHORT = 24;

/** Words of each identifier, attribute, keyword and short string of a function, its docstring left out. */
export function wordsUsed({ statement }: FunctionSyntax): string[][] {
  const identifiers = new Set<string>([statement.name, ...statement.parameters.map(({ name }) => name)]);
  eachCode(statement.docstring === undefined ? statement.body : statement.body.slice(1), (each) => {
    if (each.kind === 'name') identifiers.add(each.id);
    if (each.kind === 'attribute') identifiers.add(each.name);
    if (each.kind === 'call') for (const { name } of each.arguments) if (name !== undefined) identifiers.add(name);
    if (each.kind === 'string' && !each.isBytes && each.value.length <= SHORT) {
      for (const word of each.value.split(/\W+/)) identifiers.add(word);
    }
  });
  return [...identifiers].map(identifierWords);
}

function eachCode(block: readonly Statement[], visit: (each: Expression) => void): void {
  eachStatement(block, (statement) => {
    for (const expression of expressionsIn(statement)) {
      eachExpression(expression, (each) => {
        visit(each);
        return true;
      });
    }
    return true;
  });
}
