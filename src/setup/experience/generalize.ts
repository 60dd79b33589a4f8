/** What belongs to one repository and must not get into a unit. */
export interface Particulars {
  /** Names that the project goes by. */
  readonly names: readonly string[];
  readonly versions: readonly string[];
  readonly workdir: string | null;
}

/**
 * Reads a repository's name out of how it was given: `pypi:NAME==VERSION`, `npm:NAME@VERSION`, an address, a path. A name
 * counts in its spellings with `-`, `_` and `.`.
 */
export function particularsOf(repository: string | undefined, workdir: string | null): Particulars {
  if (repository === undefined) return { names: [], versions: [], workdir };
  const bare = repository.replace(/^[a-z]+:(?!\/\/)/, '').replace(/[#?].*$/, '');
  const [, before = bare, version] = /^(.*?[^@=])(?:==|@)([^@/=]+)$/.exec(bare) ?? [];
  const last =
    before
      .replace(/\/+$/, '')
      .split('/')
      .at(-1)
      ?.replace(/\.(?:git|zip|tar\.gz|tgz|tar)$/, '') ?? '';
  const names = new Set([
    last,
    last.replace(/[-_.]+/g, '-'),
    last.replace(/[-_.]+/g, '_'),
    last.replace(/[-_.]+/g, ''),
  ]);
  return {
    // Names of two letters would tear other words apart.
    names: [...names].filter((name) => name.length > 2),
    versions: version && /\d/.test(version) ? [version.replace(/^v/, '')] : [],
    workdir,
  };
}

/** Whether a text tells which repository it came from. */
export function isParticular(text: string, particulars: Particulars): boolean {
  const { names, versions, workdir } = particulars;
  return (
    (workdir !== null && workdir !== '/' && contains(text, workdir)) ||
    names.some((name) => contains(text, name)) ||
    versions.some((version) => contains(text, version))
  );
}

/** The same text about any repository: work directory, names and versions become words for them. */
export function generalized(text: string, { names, versions, workdir }: Particulars): string {
  let general = text;
  if (workdir !== null && workdir !== '/') {
    general = replaced(general, `${workdir}/`, './');
    general = replaced(general, workdir, '.');
  }
  for (const name of [...names].sort((a, b) => b.length - a.length)) general = replaced(general, name, 'PROJECT');
  for (const version of versions) general = replaced(general, version, 'VERSION');
  return general;
}

function pattern(wanted: string): RegExp {
  const escaped = wanted.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  return new RegExp(
    `${/^\w/.test(wanted) ? '(?<![A-Za-z0-9])' : ''}${escaped}${/\w$/.test(wanted) ? '(?![A-Za-z0-9])' : ''}`,
    'gi',
  );
}

function contains(text: string, wanted: string): boolean {
  return pattern(wanted).test(text);
}

function replaced(text: string, wanted: string, instead: string): string {
  return text.replace(pattern(wanted), instead);
}
