import { type Expression, type PythonModule, type Scope, type Statement, scopeOf, walkScopes } from '../syntax';

/** A look-up of names by text. What is not known of the text is undefined; a part that is known narrows it. */
export interface Lookup {
  readonly node: Expression;
  /** Names that are looked up, where the text says them all. */
  readonly names: readonly string[] | undefined;
  /** Beginning and end of the names that may be looked up, where `names` is undefined. */
  readonly prefix: string;
  readonly suffix: string;
  /** Object that is looked into: undefined for the module's own namespace. */
  readonly object: Expression | undefined;
  readonly lazy: boolean;
  readonly why: string;
}

/** Look-ups by name in a top-level statement: `globals()`, `vars()`, `getattr`, `eval` and what is formatted from them. */
export function lookupsIn(
  statement: Statement,
  module: PythonModule,
  textOf: (expression: Expression) => string | undefined,
): Lookup[] {
  const found: Lookup[] = [];
  /** Namespaces whose use is understood; one that is met otherwise may be used for anything. */
  const understood = new Set<Expression>();
  const add = (node: Expression, scope: Scope, part: Partial<Lookup>) =>
    found.push({
      node,
      names: undefined,
      prefix: '',
      suffix: '',
      object: undefined,
      lazy: scope.lazy,
      why: '',
      ...part,
    });
  const byKey = (node: Expression, key: Expression | undefined, scope: Scope) => {
    const text = key && textOf(key);
    if (text !== undefined) add(node, scope, { names: [text], why: 'looked up by name' });
    else add(node, scope, { ...ends(key), why: 'looked up by a name that is only known when it runs' });
  };
  const template = (node: Expression, names: string[] | undefined, scope: Scope, namespace: Expression) => {
    if (!names) return;
    understood.add(namespace);
    add(node, scope, { names, why: 'named in a format' });
  };

  walkScopes(statement, {
    statement: (each, scope) => {
      // Writing into a namespace looks nothing up.
      if (each.kind !== 'assign' && each.kind !== 'delete') return;
      for (const target of each.targets)
        if (target.kind === 'subscript' && isNamespace(target.object, scope)) understood.add(target.object);
    },
    expression: (node, scope) => {
      if (node.kind === 'subscript' && isNamespace(node.object, scope) && !understood.has(node.object)) {
        understood.add(node.object);
        byKey(node, node.index, scope);
      } else if (node.kind === 'binary' && node.operator === '%' && isNamespace(node.right, scope)) {
        const text = textOf(node.left);
        template(node, text === undefined ? undefined : percentNames(text), scope, node.right);
      } else if (node.kind === 'comparison') {
        for (const { right, operator } of node.rest)
          if (/in$/.test(operator) && isNamespace(right, scope)) {
            understood.add(right);
            const text = textOf(node.left);
            if (text !== undefined) add(node, scope, { names: [text], why: 'looked up by name' });
          }
      } else if (node.kind === 'call') {
        const { callee, arguments: given } = node;
        const first = given[0]?.value;
        if (callee.kind === 'attribute') {
          if (isNamespace(callee.object, scope)) {
            if (['get', 'pop', '__getitem__', 'setdefault'].includes(callee.name)) {
              understood.add(callee.object);
              byKey(node, first, scope);
            } else if (['update', '__setitem__'].includes(callee.name)) understood.add(callee.object);
          }
          const spread = given.find((each) => each.spread === '**' && isNamespace(each.value, scope));
          const text = spread || callee.name === 'format_map' ? textOf(callee.object) : undefined;
          const namespace = spread?.value ?? (first && isNamespace(first, scope) ? first : undefined);
          if (text !== undefined && namespace) template(node, formatNames(text), scope, namespace);
        } else if (callee.kind === 'name' && scopeOf(callee.id, scope).kind === 'module') {
          if (/^(getattr|hasattr)$/.test(callee.id) && first && given.length >= 2) {
            const text = textOf(given[1]!.value);
            const object = isOwnModule(first) ? undefined : first;
            if (text !== undefined) add(node, scope, { names: [text], object, why: 'looked up by name' });
            else if (callee.id === 'getattr')
              add(node, scope, {
                ...ends(given[1]!.value),
                object,
                why: 'getattr with a name that is only known when it runs',
              });
          } else if (/^(eval|exec)$/.test(callee.id) && !module.bindings.has(callee.id)) {
            for (const each of given) if (isNamespace(each.value, scope)) understood.add(each.value);
            const text = first && textOf(first);
            const names = text === undefined ? undefined : [...text.matchAll(/[A-Za-z_]\w*/g)].map(([name]) => name);
            add(node, scope, { names, why: `${callee.id} of text that is only known when it runs` });
          } else if (isNamespace(node, scope) && !understood.has(node))
            add(node, scope, { why: 'the whole namespace of the module is handed on' });
        }
      }
    },
  });
  return found.filter(({ node, why }) => !(why.startsWith('the whole') && understood.has(node)));
}

/** `globals()`; `locals()` and `vars()` at a module's top level; the dictionary of the module itself. */
function isNamespace(expression: Expression, scope: Scope): boolean {
  if (expression.kind === 'attribute') return expression.name === '__dict__' && isOwnModule(expression.object);
  if (expression.kind !== 'call' || expression.callee.kind !== 'name') return false;
  const { id } = expression.callee;
  if (id === 'vars' && expression.arguments[0]) return isOwnModule(expression.arguments[0].value);
  if (expression.arguments.length > 0) return false;
  return id === 'globals' || ((id === 'locals' || id === 'vars') && scope.kind === 'module');
}

/** `sys.modules[__name__]`. */
function isOwnModule(expression: Expression): boolean {
  return (
    expression.kind === 'subscript' &&
    expression.object.kind === 'attribute' &&
    expression.object.name === 'modules' &&
    expression.index.kind === 'name' &&
    expression.index.id === '__name__'
  );
}

/** What is known of the ends of a text: `'visit_' + kind`, `f'{kind}_codec'`, `'%s_codec' % kind`. */
function ends(expression: Expression | undefined): { prefix: string; suffix: string } {
  if (expression?.kind === 'binary' && expression.operator === '+') {
    const prefix = expression.left.kind === 'string' ? expression.left.value : ends(expression.left).prefix;
    const suffix = expression.right.kind === 'string' ? expression.right.value : ends(expression.right).suffix;
    return { prefix, suffix };
  }
  if (expression?.kind === 'binary' && expression.operator === '%' && expression.left.kind === 'string') {
    const parts = expression.left.value.split(/%\(?\w*\)?[sdr]/);
    return { prefix: parts[0]!, suffix: parts.length > 1 ? parts.at(-1)! : '' };
  }
  if (expression?.kind === 'formattedString') {
    const [first, last] = [expression.parts[0], expression.parts.at(-1)];
    return { prefix: typeof first === 'string' ? first : '', suffix: typeof last === 'string' ? last : '' };
  }
  const isFormat =
    expression?.kind === 'call' && expression.callee.kind === 'attribute' && expression.callee.name === 'format';
  if (isFormat && expression.callee.kind === 'attribute' && expression.callee.object.kind === 'string') {
    const parts = expression.callee.object.value.split(/\{[^}]*\}/);
    return { prefix: parts[0]!, suffix: parts.length > 1 ? parts.at(-1)! : '' };
  }
  return { prefix: '', suffix: '' };
}

/** Names of the fields of a format string, those in nested format specifications included. */
function formatNames(text: string): string[] {
  const bare = text.replace(/\{\{|\}\}/g, '');
  return [...bare.matchAll(/\{([A-Za-z_]\w*)/g)].map(([, name]) => name!);
}

function percentNames(text: string): string[] {
  return [...text.matchAll(/%\(([A-Za-z_]\w*)\)/g)].map(([, name]) => name!);
}
