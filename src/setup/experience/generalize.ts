import { parseSource } from '../../contract';

/** What belongs to one repository and must not get into a unit. */
export interface Particulars {
  /** Names that the project goes by. */
  readonly names: readonly string[];
  readonly versions: readonly string[];
  readonly workdir: string | null;
}

/**
 * Reads a project's names and versions out of its source, each kind by its own rules; of what is no source, out of the end
 * of its path. A name counts in its spellings with `-`, `_` and `.`.
 */
export function particularsOf(repository: string | undefined, workdir: string | null): Particulars {
  if (repository === undefined) return { names: [], versions: [], workdir };
  const { names, versions } = said(repository);
  return {
    // Names of two letters would tear other words apart.
    names: [...new Set(names.flatMap(spellings))].filter((name) => name.length > 2),
    // So would a version of one digit or two: they are in every other line.
    versions: [...new Set(versions.map((version) => version.replace(/^v/, '')))]
      .filter(isTelling)
      .flatMap((version) => [`v${version}`, version]),
    workdir,
  };
}

type Said = Pick<Particulars, 'names' | 'versions'>;

function said(repository: string): Said {
  const source = readable(repository);
  if (!source) return inFileName(repository);
  switch (source.kind) {
    case 'npm':
      return { names: [source.name, endOf(source.name)], versions: [source.version] };
    case 'go': {
      // A major version is a part of the path.
      const module = source.name.replace(/[/.]v\d+$/, '');
      return { names: [source.name, module, endOf(module)], versions: [source.version] };
    }
    case 'deb-src': {
      // Epoch and revision are Debian's; the project itself says what is between.
      const own = source.version.replace(/^\d+:/, '');
      return { names: [source.name], versions: [source.version, own, own.replace(/-[^-]*$/, '')] };
    }
    case 'git':
      return { names: inFileName(source.url).names, versions: [source.revision] };
    case 'dir':
      return inFileName(source.path);
    case 'archive':
      return inFileName(source.location);
    default:
      return { names: [source.name], versions: [source.version] };
  }
}

/** `NAME-VERSION.tar.gz` at the end of a path; a file that is named after its version alone has its name further up. */
function inFileName(path: string): Said {
  const [, stem = ''] =
    /^(.*?)(?:\.git|\.tar(?:\.\w+)?|\.tgz|\.zip|\.crate)?$/is.exec(
      path.split(/[?#]/)[0]!.split('/').filter(Boolean).at(-1) ?? '',
    ) ?? [];
  const [, own = stem, version] = /^(?:(.*)[-_])?(v?\d+(?:\.[\w+-]+)*)$/.exec(stem) ?? [];
  const versions = version === undefined ? [] : [version];
  if (own !== '' && own !== version) return { names: [stem, own], versions };
  const above = path
    .split('/')
    .slice(0, -1)
    .filter((part) => !/^(?:|archive|refs|tags|heads|releases|download|-)$/.test(part));
  return { names: above.slice(-1), versions };
}

function spellings(name: string): string[] {
  return [name, name.replace(/[-_.]+/g, '-'), name.replace(/[-_.]+/g, '_'), name.replace(/[-_.]+/g, '')];
}

function isTelling(version: string): boolean {
  return /\d/.test(version) && (version.includes('.') || version.length >= 3);
}

function endOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function readable(repository: string) {
  try {
    return parseSource(repository.trim());
  } catch {
    return undefined;
  }
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
