import type { Source } from './source';
import type { ImportedName, Statement } from './syntax';
import { child, childrenAt, type Twig } from './tree';

/** `a.b as c, d`: what an import statement names. */
export function importedNames(twig: Twig, source: Source): ImportedName[] {
  return childrenAt(twig, 'name').map((each) => {
    const aliased = each.type === 'aliased_import';
    const name = (aliased && child(each, 'name')) || each;
    const alias = aliased ? child(each, 'alias') : undefined;
    // Spaces around the dots of a name are legal.
    const dotted = source.textOf(name).replace(/\s+/g, '');
    return { name: dotted, alias: alias && source.textOf(alias), ...source.spanOf(each) };
  });
}

/** `from a import b`, and what is imported from `__future__`. */
export function importFrom(twig: Twig, source: Source): Statement {
  const span = source.spanOf(twig);
  const star = twig.children.find(({ type }) => type === 'wildcard_import');
  const names = star ? [{ name: '*', alias: undefined, ...source.spanOf(star) }] : importedNames(twig, source);
  if (twig.type === 'future_import_statement')
    return { kind: 'importFrom', level: 0, module: '__future__', names, ...span };
  const module = child(twig, 'module_name');
  const [, dots = '', name = ''] = /^([.\s]*)(.*)$/s.exec(module ? source.textOf(module) : '') ?? [];
  const level = dots.replace(/[^.]/g, '').length;
  return { kind: 'importFrom', level, module: name.replace(/\s+/g, ''), names, ...span };
}
