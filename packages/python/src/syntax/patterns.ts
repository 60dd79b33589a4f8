import { expressionOf } from './expressions';
import type { Source } from './source';
import type { Expression, Pattern } from './syntax';
import { holds, namedChildren, type Twig } from './tree';

/** The pattern of a `case`: several, separated by commas, are a sequence. */
export function patternOfCase(twigs: readonly Twig[], commas: boolean, source: Source): Pattern {
  const patterns = twigs.map((each) => patternOf(each, source));
  const [first] = patterns;
  if (first && patterns.length === 1 && !commas && first.kind !== 'star') return first;
  return { kind: 'sequence', patterns, ...source.span(twigs[0]?.start ?? 0, twigs.at(-1)?.end ?? 0) };
}

function patternOf(twig: Twig, source: Source): Pattern {
  const span = source.spanOf(twig);
  const inner = namedChildren(twig);
  switch (twig.type) {
    case 'case_pattern':
      if (inner.length === 1 && twig.children.length === 1) return patternOf(inner[0]!, source);
      if (inner.length === 0) return { kind: 'capture', name: captured(source.textOf(twig)), ...span };
      return { kind: 'value', value: negated(twig, source), ...span };
    case 'dotted_name':
      if (inner.length === 1) return { kind: 'capture', name: captured(source.textOf(twig)), ...span };
      return { kind: 'value', value: expressionOf(twig, source), ...span };
    case 'identifier':
      return { kind: 'capture', name: captured(source.textOf(twig)), ...span };
    case 'list_pattern':
      return { kind: 'sequence', patterns: inner.map((each) => patternOf(each, source)), ...span };
    case 'tuple_pattern':
      if (inner.length === 1 && !holds(twig, ',') && inner[0]!.children[0]?.type !== 'splat_pattern')
        return patternOf(inner[0]!, source);
      return { kind: 'sequence', patterns: inner.map((each) => patternOf(each, source)), ...span };
    case 'splat_pattern':
      return { kind: 'star', name: captured(source.textOf(twig).replace(/^\*+\s*/, '')), ...span };
    case 'union_pattern':
      return { kind: 'or', patterns: alternatives(twig, source), ...span };
    case 'as_pattern': {
      const [pattern, name] = inner;
      const of = pattern ? patternOf(pattern, source) : { kind: 'capture' as const, name: undefined, ...span };
      return { kind: 'as', pattern: of, name: name ? source.textOf(name) : '', ...span };
    }
    case 'dict_pattern':
      return mapping(twig, source);
    case 'class_pattern':
      return classPattern(twig, source);
    case 'complex_pattern':
      return { kind: 'value', value: negated(twig, source), ...span };
    default:
      return { kind: 'value', value: expressionOf(twig, source), ...span };
  }
}

function captured(name: string): string | undefined {
  return name === '_' ? undefined : name;
}

/** `-1`, `1 + 2j`: numbers with signs, of which a pattern has no more than two. */
function negated(twig: Twig, source: Source): Expression {
  const [first, second] = namedChildren(twig);
  const span = source.spanOf(twig);
  if (!first) return { kind: 'unreadable', expressions: [], ...span };
  const left: Expression =
    twig.children[0]?.type === '-'
      ? { kind: 'unary', operator: '-', operand: expressionOf(first, source), ...source.span(twig.start, first.end) }
      : expressionOf(first, source);
  if (!second) return left;
  const operator = holds({ ...twig, children: twig.children.slice(1) }, '-') ? '-' : '+';
  return { kind: 'binary', operator, left, right: expressionOf(second, source), ...span };
}

/** The alternatives stand side by side, a minus sign of its own before its number. */
function alternatives(twig: Twig, source: Source): Pattern[] {
  const groups: Twig[][] = [[]];
  for (const each of twig.children) {
    if (each.type === '|' && !each.named) groups.push([]);
    else groups.at(-1)!.push(each);
  }
  return groups
    .filter((group) => group.length > 0)
    .map((group) => {
      const [first] = group;
      if (group.length === 1 && first!.named) return patternOf(first!, source);
      const whole = { ...twig, type: 'case_pattern', start: first!.start, end: group.at(-1)!.end, children: group };
      return patternOf(whole, source);
    });
}

function mapping(twig: Twig, source: Source): Pattern {
  const entries: { key: Expression; pattern: Pattern }[] = [];
  let rest: string | undefined;
  let keys: Twig[] = [];
  for (const each of twig.children) {
    if (each.type === 'splat_pattern') rest = captured(source.textOf(each).replace(/^\*+\s*/, ''));
    else if (each.field === 'key') keys.push(each);
    else if (each.field === 'value' && each.named && keys.length > 0) {
      const [first] = keys;
      const key =
        keys.length === 1
          ? expressionOf(first!, source)
          : negated({ ...first!, type: 'case_pattern', end: keys.at(-1)!.end, children: keys }, source);
      entries.push({ key, pattern: patternOf(each, source) });
      keys = [];
    }
  }
  return { kind: 'mapping', entries, rest, ...source.spanOf(twig) };
}

function classPattern(twig: Twig, source: Source): Pattern {
  const [named, ...rest] = namedChildren(twig);
  const positional: Pattern[] = [];
  const keywords: { name: string; pattern: Pattern }[] = [];
  for (const each of rest) {
    const only = each.type === 'case_pattern' && each.children.length === 1 ? each.children[0]! : each;
    if (only.type === 'keyword_pattern') {
      const [name, ...value] = only.children.filter(({ type, named: isNamed }) => isNamed || type !== '=');
      const whole = { ...only, type: 'case_pattern', start: value[0]?.start ?? only.end, children: value };
      if (name) keywords.push({ name: source.textOf(name), pattern: patternOf(whole, source) });
    } else positional.push(patternOf(each, source));
  }
  const span = source.spanOf(twig);
  const type = named ? expressionOf(named, source) : { kind: 'unreadable' as const, expressions: [], ...span };
  return { kind: 'class', class: type, positional, keywords, ...span };
}
