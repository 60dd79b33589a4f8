import { declaredFor } from '../../repository/facts';
import { normalName } from '../../repository/requirement';
import type { Project } from '../goal';

/** Parts that a build makes, or that lie in one place each: no distribution of a namespace is named so. */
const MADE = /^_|^(version|tests?|conftest)$/;

/**
 * The part of a namespace that the project shares with others and that another distribution brings: `zope.testing` for the
 * module `zope.testing.doctest`, in a project that has `zope.event` alone. Null for modules of its own, which a build may
 * have to make first: a package that is no namespace is nobody else's.
 */
export function missingPart(module: string, project: Project): string | null {
  const parts = module.split('.');
  const known = new Set(
    declaredFor(project.facts, 'python').flatMap(({ name, importNames }) =>
      name.includes('.') ? [normalName(name), ...importNames] : importNames,
    ),
  );
  for (let length = 2; length <= parts.length; length += 1) {
    const part = parts.slice(0, length).join('.');
    if (has(part, project)) continue;
    if (normalName(part) === normalName(project.facts.name ?? '') || MADE.test(parts[length - 1]!)) return null;
    const declared = known.has(part) || known.has(normalName(part));
    return declared || isNamespace(parts.slice(0, length - 1).join('.'), project) ? part : null;
  }
  return null;
}

/** Whether the tree has it, below any import root. */
function has(module: string, { survey }: Project): boolean {
  const place = `/${module.replaceAll('.', '/')}`;
  return survey.paths.some((path) => `/${path}`.includes(`${place}/`) || `/${path}`.includes(`${place}.`));
}

/** Other parts of it lie in the tree, and either the project's name says that it is one of several, or nothing is in it itself. */
function isNamespace(module: string, project: Project): boolean {
  const { survey, facts } = project;
  if (!has(module, project)) return false;
  const place = `/${module.replaceAll('.', '/')}/`;
  const named = normalName(facts.name ?? '');
  if (named.startsWith(`${normalName(module)}-`)) return true;
  const inside = survey.paths.filter((path) => /\.py$/.test(path) && `/${path}`.includes(place));
  const itself = inside.some((path) => !`/${path}`.split(place)[1]!.includes('/'));
  return named !== normalName(module) && !itself && inside.some((path) => path.endsWith('/__init__.py'));
}
