import { expressionOf } from './expressions';
import type { Source } from './source';
import type { Expression, Parameter, TypeParameter } from './syntax';
import { child, namedChildren, type Twig } from './tree';

/** Parameters of a function or a lambda, in order. The lone `*` and `/` only say what the others are. */
export function parametersOf(twig: Twig | undefined, source: Source): Parameter[] {
  const parameters: { -readonly [K in keyof Parameter]: Parameter[K] }[] = [];
  let form: Parameter['form'] = 'positional';
  for (const each of twig ? namedChildren(twig) : []) {
    if (each.type === 'positional_separator') for (const before of parameters) before.form = 'positionalOnly';
    else if (each.type === 'keyword_separator') form = 'keywordOnly';
    else {
      const parameter = parameterOf(each, form, source);
      if (parameter.form === 'varPositional') form = 'keywordOnly';
      parameters.push(parameter);
    }
  }
  return parameters;
}

function parameterOf(twig: Twig, form: Parameter['form'], source: Source): Parameter {
  // `*args: int` wraps the star, the name alone stands for itself.
  const named = child(twig, 'name') ?? (twig.type === 'typed_parameter' ? namedChildren(twig)[0] : undefined) ?? twig;
  const inner = (field: string): Expression | undefined => {
    const found = child(twig, field);
    return found && expressionOf(found, source);
  };
  const starred = named.type === 'list_splat_pattern' || named.type === 'dictionary_splat_pattern';
  const name = starred ? namedChildren(named)[0] : named;
  return {
    name: name ? source.textOf(name) : '',
    form: starred ? (named.type === 'list_splat_pattern' ? 'varPositional' : 'varKeyword') : form,
    annotation: inner('type'),
    default: inner('value'),
    ...source.spanOf(twig),
  };
}

/** `[T: int, *Ts, **P]` of a function, a class or a `type` statement. */
export function typeParametersOf(twig: Twig | undefined, source: Source): TypeParameter[] {
  return (twig ? namedChildren(twig) : []).map((type): TypeParameter => {
    const [inner = type] = namedChildren(type);
    const span = source.spanOf(type);
    if (inner.type === 'constrained_type') {
      const [name = inner, bound] = namedChildren(inner);
      return { name: source.textOf(name), form: 'type', bound: bound && expressionOf(bound, source), ...span };
    }
    if (inner.type === 'splat_type') {
      const [name = inner] = namedChildren(inner);
      const form = source.textOf(inner).startsWith('**') ? 'specification' : 'tuple';
      return { name: source.textOf(name), form, bound: undefined, ...span };
    }
    return { name: source.textOf(inner), form: 'type', bound: undefined, ...span };
  });
}
