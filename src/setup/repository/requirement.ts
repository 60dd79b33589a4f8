import { importNamesOf } from './distributions';
import type { Dependency } from './facts';

export interface Requirement {
  readonly name: string;
  readonly extras: readonly string[];
  /** `>=1,<2`, or the address after `@`. */
  readonly spec: string;
  readonly marker?: string;
}

/** One requirement as PEP 508 writes it, or null for a line that is none (an option, a path, a comment). */
export function readRequirement(line: string): Requirement | null {
  const text = line.replace(/(^|\s)#.*$/s, '').trim();
  const parts = /^([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*(?:\[([^\]]*)\])?\s*(.*)$/s.exec(text);
  if (!parts) return addressed(text);
  const [, name, extras = '', rest = ''] = parts;
  if (rest !== '' && !/^[@;(<>=!~,]/.test(rest)) return addressed(text);
  const at = rest.indexOf(';');
  const spec = (at < 0 ? rest : rest.slice(0, at)).trim().replace(/^\((.*)\)$/, '$1');
  const marker = at < 0 ? '' : rest.slice(at + 1).trim();
  return {
    name: name!,
    extras: extras
      .split(',')
      .map((extra) => extra.trim())
      .filter(Boolean),
    spec: spec
      .replace(/^@\s*/, '')
      .replace(/(?:(?<!\s)\s+)?(--hash\S*|\\)\s*/g, ' ')
      .trim(),
    ...(marker ? { marker } : {}),
  };
}

/** `git+https://host/owner/name@rev#egg=name` names its distribution at the end. */
function addressed(text: string): Requirement | null {
  const egg =
    /^(?:-e\s+|--editable[= ])?((?:git|hg|svn|bzr)\+[^\s#]+|https?:[^\s#]+)#(?:\S{0,200}&)?egg=([\w.-]+)/.exec(text);
  return egg ? { name: egg[2]!, extras: [], spec: egg[1]! } : null;
}

/** Names that PyPI takes for the same: case, `-`, `_` and `.` do not matter. */
export function normalName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

function dependencyOf(line: string, scope: Dependency['scope'], declared: string, extra?: string): Dependency | null {
  const found = readRequirement(line);
  if (!found) return null;
  return {
    name: found.name,
    ...(found.extras.length > 0 ? { extras: found.extras } : {}),
    spec: found.spec,
    scope,
    ...(extra ? { extra } : {}),
    ...(found.marker ? { marker: found.marker } : {}),
    importNames: importNamesOf(found.name),
    declared,
  };
}

export function dependenciesOf(
  lines: readonly string[],
  scope: Dependency['scope'],
  declared: string,
  extra?: string,
): Dependency[] {
  return lines.map((line) => dependencyOf(line, scope, declared, extra)).filter((found) => found !== null);
}

const TESTING =
  /^(all[-_]?)?(tests?|testing|tests?[-_](deps?|requirements?|all|extras?|unit|min|base|core|runner|full)|(unit|dev|ci)[-_]?tests?|dev|develop|development|devel|pytest|check|checks|ci|nose|cov(erage)?)$/i;

/** Whether an extra, a group or a file is, by its name, what one installs to test. */
export function isTestGroup(name: string): boolean {
  return TESTING.test(name);
}
