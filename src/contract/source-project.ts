import { parseSource, type SourceSpec } from './source';

/**
 * The project that a source is of, whatever its version or revision: two sources of one project have the same text, which
 * is for comparing and not for reading. Kinds stay apart. What is no source is a project of its own.
 */
export function projectOfSource(text: string): string {
  const source = readable(text);
  if (source === undefined) return text.trim();
  switch (source.kind) {
    // PyPI and crates.io take names as the same that differ in case and separators.
    case 'pypi':
    case 'crate':
      return `${source.kind}:${source.name.toLowerCase().replace(/[-_.]+/g, '-')}`;
    // A major version of a Go module is a part of its path.
    case 'go':
      return `go:${source.name.replace(/\/v\d+$/, '')}`;
    case 'npm':
    case 'deb-src':
      return `${source.kind}:${source.name}`;
    case 'git':
      return `git+${source.url.replace(/\/+$/, '').replace(/\.git$/, '')}`;
    case 'dir':
      return `dir:${source.path.replace(/\/+/g, '/').replace(/(.)\/$/, '$1')}`;
    case 'archive':
      return `archive:${archived(source.location)}`;
    default:
      return source satisfies never;
  }
}

/** The name before the version; where a file is named after its version or its branch alone, the folder says whose it is. */
function archived(location: string): string {
  const slash = location.lastIndexOf('/');
  const stem = location
    .slice(slash + 1)
    .replace(/\.(?:tar\.(?:gz|xz|bz2)|tgz|zip|tar|crate)$/i, '')
    .toLowerCase();
  const name = stem.replace(/(?:^|[-_])v?\d[\w.+-]*$/, '');
  return /^(?:|main|master|head|trunk|source|src|latest)$/.test(name) ? location.slice(0, slash) : name;
}

function readable(text: string): SourceSpec | undefined {
  try {
    return parseSource(text.trim());
  } catch {
    return undefined;
  }
}
