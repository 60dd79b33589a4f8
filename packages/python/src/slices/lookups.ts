import {
  type AttributeExpression,
  type CallExpression,
  type Expression,
  type PythonModule,
  type Scope,
  type Statement,
  scopeOf,
  walkScopes,
} from '../syntax';

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
  const reader = new LookupReader(module, textOf);
  walkScopes(statement, {
    statement: (each, scope) => reader.statement(each, scope),
    expression: (each, scope) => reader.expression(each, scope),
  });
  return reader.lookups();
}

/** Said of a namespace that is met whole; taken back where its use is understood in the end. */
const HANDED_ON = 'the whole namespace of the module is handed on';

class LookupReader {
  private readonly found: Lookup[] = [];
  /** Namespaces whose use is understood; one that is met otherwise may be used for anything. */
  private readonly understood = new Set<Expression>();

  constructor(
    private readonly module: PythonModule,
    private readonly textOf: (expression: Expression) => string | undefined,
  ) {}

  lookups(): Lookup[] {
    return this.found.filter(({ node, why }) => why !== HANDED_ON || !this.understood.has(node));
  }

  /** Writing into a namespace looks nothing up. */
  statement(each: Statement, scope: Scope): void {
    if (each.kind !== 'assign' && each.kind !== 'delete') return;
    for (const target of each.targets)
      if (target.kind === 'subscript' && isNamespace(target.object, scope)) this.understood.add(target.object);
  }

  expression(node: Expression, scope: Scope): void {
    switch (node.kind) {
      case 'subscript':
        if (!isNamespace(node.object, scope) || this.understood.has(node.object)) return;
        this.understood.add(node.object);
        this.byKey(node, node.index, scope);
        return;
      case 'binary': {
        if (node.operator !== '%' || !isNamespace(node.right, scope)) return;
        const text = this.textOf(node.left);
        if (text !== undefined) this.format(node, percentNames(text), scope, node.right);
        return;
      }
      case 'comparison':
        for (const { right, operator } of node.rest)
          if (/in$/.test(operator) && isNamespace(right, scope)) {
            this.understood.add(right);
            const text = this.textOf(node.left);
            if (text !== undefined) this.add(node, scope, { names: [text], why: 'looked up by name' });
          }
        return;
      case 'call':
        if (node.callee.kind === 'attribute') this.methodCall(node, node.callee, scope);
        else if (node.callee.kind === 'name' && scopeOf(node.callee.id, scope).kind === 'module')
          this.builtinCall(node, node.callee.id, scope);
        return;
      default:
    }
  }

  /** `namespace.get(key)`, `text.format(**namespace)`. */
  private methodCall(node: CallExpression, { object, name }: AttributeExpression, scope: Scope): void {
    const first = node.arguments[0]?.value;
    if (isNamespace(object, scope)) {
      if (['get', 'pop', '__getitem__', 'setdefault'].includes(name)) {
        this.understood.add(object);
        this.byKey(node, first, scope);
      } else if (['update', '__setitem__'].includes(name)) this.understood.add(object);
    }
    const spread = node.arguments.find((each) => each.spread === '**' && isNamespace(each.value, scope));
    const text = spread || name === 'format_map' ? this.textOf(object) : undefined;
    const namespace = spread?.value ?? (first && isNamespace(first, scope) ? first : undefined);
    if (text !== undefined && namespace) this.format(node, formatNames(text), scope, namespace);
  }

  private builtinCall(node: CallExpression, name: string, scope: Scope): void {
    const given = node.arguments;
    const [first, second] = given.map(({ value }) => value);
    if ((name === 'getattr' || name === 'hasattr') && first && second) {
      const text = this.textOf(second);
      const object = isOwnModule(first) ? undefined : first;
      const why = 'getattr with a name that is only known when it runs';
      if (text !== undefined) this.add(node, scope, { names: [text], object, why: 'looked up by name' });
      else if (name === 'getattr') this.add(node, scope, { ...ends(second), object, why });
    } else if ((name === 'eval' || name === 'exec') && !this.module.bindings.has(name)) {
      for (const { value } of given) if (isNamespace(value, scope)) this.understood.add(value);
      const text = first && this.textOf(first);
      const names = text === undefined ? undefined : [...text.matchAll(/[A-Za-z_]\w*/g)].map(([each]) => each);
      this.add(node, scope, { names, why: `${name} of text that is only known when it runs` });
    } else if (isNamespace(node, scope) && !this.understood.has(node)) this.add(node, scope, { why: HANDED_ON });
  }

  private byKey(node: Expression, key: Expression | undefined, scope: Scope): void {
    const text = key && this.textOf(key);
    if (text !== undefined) this.add(node, scope, { names: [text], why: 'looked up by name' });
    else this.add(node, scope, { ...ends(key), why: 'looked up by a name that is only known when it runs' });
  }

  private format(node: Expression, names: string[], scope: Scope, namespace: Expression): void {
    this.understood.add(namespace);
    this.add(node, scope, { names, why: 'named in a format' });
  }

  private add(node: Expression, { lazy }: Scope, part: Partial<Lookup>): void {
    const { names, prefix = '', suffix = '', object, why = '' } = part;
    this.found.push({ node, names, prefix, suffix, object, lazy, why });
  }
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
    const parts = expression.callee.object.value.split(/\{[^{}]*\}/);
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
