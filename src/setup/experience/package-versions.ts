import { argument, Refusal } from './arguments';
import type { Manager } from './package-names';

type Args = Readonly<Record<string, unknown>>;

export const VERSION = ['spec', 'version', 'version_spec'] as const;
export const LEAST = ['min_version', 'minimum_version'] as const;

/**
 * Names with the version that came as an argument of its own, as this manager writes it. One version belongs to one
 * package, a list of them to as many packages in the same order; a minimum holds for each.
 */
export function versioned(manager: Manager, names: readonly string[], args: Args): string[] {
  const versions = versionsIn(argument(args, ...VERSION));
  if (versions.length === 0) return withLeast(manager, names, argument(args, ...LEAST));
  if (names.length === 0) throw new Refusal('a version, but no package');
  if (names.length === 1) return [named(manager, names[0]!, versions.join(','))];
  if (versions.length !== names.length) throw new Refusal('one version for several packages');
  return names.map((name, at) => named(manager, name, versions[at]!));
}

/** Names that are to be at least of a version; one that says how (`==2`) is taken at its word. */
export function withLeast(manager: Manager, names: readonly string[], least: unknown): string[] {
  const [version, more] = versionsIn(least);
  if (version === undefined) return [...names];
  if (more !== undefined) throw new Refusal('several minimums');
  return names.map((name) => named(manager, name, /^[=<>~!^]/.test(version) ? version : `>=${version}`));
}

function versionsIn(value: unknown): string[] {
  const items: unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return items.flatMap((item) => {
    if (typeof item !== 'string' && typeof item !== 'number') throw new Refusal('a version that is no text');
    const version = String(item).trim();
    return version === '' ? [] : [version];
  });
}

/** A name that holds a version already keeps it. */
function named(manager: Manager, name: string, version: string): string {
  const has = manager === 'npm' ? name.lastIndexOf('@') > 0 : /[=<>~!]/.test(name);
  return has ? name : WITH_VERSION[manager](name, version);
}

/** Words for "the newest one", which only npm has a word of its own for. */
const ANY = /^(?:={0,3}\s*)?(?:latest|any|\*)$/i;

const WITH_VERSION: Readonly<Record<Manager, (name: string, version: string) => string>> = {
  pip: (name, version) => (ANY.test(version) ? name : `${name}${compared(version, '==')}`),
  conda: (name, version) => (ANY.test(version) ? name : `${name}${compared(version, '=')}`),
  apt: (name, version) => {
    // apt takes one version or the newest. The newest is the best that can be done for a minimum, and a pin to the minimum
    // itself would ask for a version that its archive most likely no longer holds.
    if (ANY.test(version) || /^>=?/.test(version)) return name;
    if (/^[<~!^]|,/.test(version)) throw new Refusal(`apt cannot say ${JSON.stringify(version.slice(0, 80))}`);
    return `${name}=${version.replace(/^=+\s*/, '')}`;
  },
  npm: (name, version) => {
    if (ANY.test(version)) return /latest/i.test(version) ? `${name}@latest` : name;
    if (/~=|!=/.test(version)) throw new Refusal(`npm cannot say ${JSON.stringify(version.slice(0, 80))}`);
    // Its ranges have a space where others have a comma, and an exact version has no sign.
    const range = version
      .replace(/^@/, '')
      .replace(/={2,3}\s*/g, '')
      .replace(/([<>=~^])\s+/g, '$1');
    return `${name}@${range.replace(/^=/, '').replace(/(?:(?<!\s)\s+)?,\s*/g, ' ')}`;
  },
};

function compared(version: string, operator: string): string {
  const spec = version.replace(/\s+/g, '');
  return /^[=<>~!]/.test(spec) ? spec : `${operator}${spec}`;
}
