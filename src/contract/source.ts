import { z } from 'zod';
import { PointsmanError } from './errors';
import { keptPath } from './kept-path';
import { nearest } from './parse';

/**
 * Where a tree of sources comes from, as its text says. `name` and `version` are those of the registry; paths are
 * absolute and on the host of the worker that fetches, unless what is there was sent along (`keptPath`).
 */
export type SourceSpec =
  | RegistrySource
  | { readonly kind: 'git'; readonly url: string; readonly revision: string }
  | { readonly kind: 'dir'; readonly path: string }
  | { readonly kind: 'archive'; readonly location: string; readonly sha256?: string };

/** How a source of one kind is written. */
interface SourceForm<Spec> {
  /** What it looks like when it is written right: shown to whoever wrote it wrong. */
  readonly form: string;
  /** What people write for the kind. */
  readonly aliases?: readonly string[];
  read(rest: string): Spec | Wrong;
  /** A short name for people and for ids. */
  label(spec: Spec): string;
  /** The project, whatever its version: two sources of one project have the same text. */
  project(spec: Spec): string;
}

/** What a registry has under a name and a version. */
export interface RegistrySource {
  readonly kind: 'pypi' | 'npm' | 'go' | 'crate' | 'deb-src';
  readonly name: string;
  readonly version: string;
}

/** The sources of one kind. */
export type SourceOf<Kind extends SourceSpec['kind']> = Kind extends RegistrySource['kind']
  ? RegistrySource
  : Extract<SourceSpec, { kind: Kind }>;

interface RegistryForm extends Pick<SourceForm<RegistrySource>, 'form' | 'aliases'> {
  readonly kind: RegistrySource['kind'];
  /** Name and version, in two groups. */
  readonly pattern: RegExp;
  readonly separator: string;
  /** Names that the registry takes as the same. */
  same?(name: string): string;
}

/** Every kind of source. `src/sources/fetch.ts` fetches each. */
const KINDS: { readonly [Kind in SourceSpec['kind']]: SourceForm<SourceOf<Kind>> } = {
  pypi: registry({
    kind: 'pypi',
    form: 'pypi:NAME==VERSION',
    aliases: ['pip', 'python'],
    separator: '==',
    pattern: /^([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)==([\w.!+-]+)$/,
    same: spelledAlike,
  }),
  npm: registry({
    kind: 'npm',
    form: 'npm:NAME@VERSION',
    aliases: ['node'],
    separator: '@',
    pattern: /^((?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*)@(\d[\w.+-]*)$/,
  }),
  go: registry({
    kind: 'go',
    form: 'go:MODULE@vVERSION',
    aliases: ['golang', 'gomod'],
    separator: '@v',
    pattern: /^([\w~-][\w.~-]*(?:\/[\w~-][\w.~-]*)*)@(v\d[\w.+-]*)$/,
    // A major version is a part of the path.
    same: (name) => name.replace(/\/v\d+$/, ''),
  }),
  crate: registry({
    kind: 'crate',
    form: 'crate:NAME@VERSION',
    aliases: ['cargo', 'crates', 'rust'],
    separator: '@',
    pattern: /^([A-Za-z][\w-]*)@(\d[\w.+-]*)$/,
    same: spelledAlike,
  }),
  'deb-src': registry({
    kind: 'deb-src',
    form: 'deb-src:NAME=VERSION',
    aliases: ['deb', 'debian', 'apt'],
    separator: '=',
    pattern: /^([a-z0-9][a-z0-9.+-]+)=([\w.+~:-]+)$/,
  }),
  git: {
    form: 'git+URL@REVISION with an https, ssh or file URL',
    read: readGit,
    project: ({ url }) => `git+${url.replace(/(?<!\/)\/+$/, '').replace(/\.git$/, '')}`,
    label: ({ url, revision }) => `${endOf(url).replace(/\.git$/, '')}-${revision.replaceAll('/', '-')}`,
  },
  dir: {
    form: 'dir:/PATH',
    aliases: ['folder', 'directory', 'path', 'file'],
    read(path) {
      if (keptPath(path)) return { kind: 'dir', path };
      if (!path.startsWith('/')) return expected('dir', 'the path is not absolute');
      return /[^/]/.test(path) ? { kind: 'dir', path } : expected('dir', 'the whole machine is no repository');
    },
    label: ({ path }) => endOf(path),
    project: ({ path }) =>
      `dir:${ownPath(path)
        .replace(/\/+/g, '/')
        .replace(/(.)\/$/, '$1')}`,
  },
  archive: {
    form: 'archive:/PATH[#sha256=HEX] or archive:URL#sha256=HEX',
    aliases: ['tar', 'zip', 'url'],
    read: readArchiveName,
    project: ({ location }) => `archive:${archived(ownPath(location))}`,
    label: ({ location }) => endOf(location).replace(/\.(tar\.(gz|xz|bz2)|tgz|zip|tar|crate)$/, ''),
  },
};

/** What was sent along is the same project as the folder that it was. */
function ownPath(path: string): string {
  return keptPath(path)?.path ?? path;
}

interface Wrong {
  readonly wrong: string;
  readonly meant?: string;
}

/**
 * Reads one source. Throws `InvalidInput` that names the field, what was found, what was expected and, where a slip
 * explains it, what was meant.
 */
export function parseSource(text: string, field = 'source'): SourceSpec {
  const read = readSource(text);
  if (!('wrong' in read)) return read;
  throw new PointsmanError(
    'InvalidInput',
    `${field}: ${sayWrong(read)} (found ${JSON.stringify(text)})`,
    `The kinds of sources are ${Object.keys(KINDS).join(', ')}.`,
  );
}

/** A source as the inputs of workflows hold it: one text, see `parseSource`. */
export const SourceName = z
  .string()
  .superRefine((text, context) => {
    const read = readSource(text);
    if ('wrong' in read) context.addIssue({ code: 'custom', message: sayWrong(read), input: text });
  })
  .meta({
    description: `${Object.values(KINDS)
      .map(({ form }) => form)
      .join('; ')}. Paths are absolute and on the worker's host.`,
  });

/** A short name for people and for ids: the project and its version, or the end of the path. */
export function labelOfSource(text: string): string {
  const source = parseSource(text);
  return (KINDS[source.kind] as SourceForm<SourceSpec>).label(source);
}

function readSource(text: string): SourceSpec | Wrong {
  if (/^git\+/.test(text)) return readGit(text.slice(4));
  const colon = text.indexOf(':');
  const [kind, rest] = [text.slice(0, Math.max(colon, 0)), text.slice(colon + 1)];
  if (kind !== 'git' && Object.hasOwn(KINDS, kind)) return KINDS[kind as SourceSpec['kind']].read(rest);
  return unknownKind(text, kind, rest);
}

/** What every reader of a source's folder leaves out: version control, and what tools left behind. */
export const LEFT_BEHIND: readonly string[] = ['.git', '__pycache__', '.venv', '.pytest_cache', 'node_modules'];

/** A registry's project and version, parted by the ecosystem's own separator. */
function registry({
  kind,
  pattern,
  separator,
  same = (name) => name,
  ...said
}: RegistryForm): SourceForm<RegistrySource> {
  return {
    ...said,
    label: ({ name, version }) => `${endOf(name)}-${version}`,
    project: ({ name }) => `${kind}:${same(name)}`,
    read(rest) {
      const read = pattern.exec(rest);
      if (read) return { kind, name: read[1] ?? '', version: read[2] ?? '' };
      // The separators of the other ecosystems, and a version without the `v` that Go wants.
      const slip = /^(@?[^@=]+?)(?:={1,3}|@)=?v?(\d.*)$/.exec(rest);
      if (!slip) {
        return expected(kind, /[=@]/.test(rest) ? 'name or version is not well formed' : 'the version is missing');
      }
      const meant = `${slip[1]}${separator}${slip[2]}`;
      return pattern.test(meant)
        ? expected(kind, 'not well formed', `${kind}:${meant}`)
        : expected(kind, 'name or version is not well formed');
    },
  };
}

/** PyPI and crates.io take names as the same that differ in case and separators. */
function spelledAlike(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

/** The revision begins after `.git@` where there is one, because tags and branches may hold an `@`. */
function readGit(rest: string): SourceOf<'git'> | Wrong {
  const scp = /^([\w.-]+@[\w.-]+):(?!\/\/)(.+)$/.exec(rest);
  if (scp) return expected('git', 'an address without a scheme', `git+ssh://${scp[1]}/${scp[2]}`);
  const url = /^(https|ssh|file):\/\/([^/]*)(\/.+)$/.exec(rest);
  if (!url) return expected('git', 'the URL is not one that is fetched');
  const [, scheme, host, path] = url as unknown as [string, string, string, string];
  if (scheme === 'file' ? host !== '' : host === '') return expected('git', 'the host of the URL is not well formed');
  if (hasSecret(scheme, host)) return expected('git', SECRET);
  if (path.includes('#')) return expected('git', 'a fragment (#...) is not supported');
  const dotGit = path.indexOf('.git@');
  const at = dotGit >= 0 ? dotGit + 4 : path.lastIndexOf('@');
  const revision = at < 0 ? '' : path.slice(at + 1);
  if (!/^[\w@][\w./@+-]*$/.test(revision) || revision.includes('..')) {
    return expected('git', revision === '' ? 'the revision is missing' : 'the revision is not well formed');
  }
  return { kind: 'git', url: `${scheme}://${host}${path.slice(0, at)}`, revision };
}

function readArchiveName(rest: string): SourceOf<'archive'> | Wrong {
  const [location, fragment, more] = rest.split('#') as [string, string | undefined, string | undefined];
  const sha256 = /^sha256=([0-9a-f]{64})$/.exec(fragment ?? '')?.[1];
  if (more !== undefined || (fragment !== undefined && sha256 === undefined)) {
    return expected('archive', 'after # stands no sha256 of 64 small hex digits');
  }
  const url = /^(https?):\/\/([^/]+)\/./.exec(location);
  if (url && sha256 === undefined) return expected('archive', 'a URL needs the sha256 of what it gives');
  if (url && hasSecret(url[1]!, url[2]!)) return expected('archive', SECRET);
  if (!url && !location.startsWith('/') && !keptPath(location))
    return expected('archive', 'neither an absolute path nor a URL');
  if (location.endsWith('/')) return expected('archive', 'it names a folder, not a file');
  return { kind: 'archive', location, sha256 };
}

const SECRET = 'credentials do not belong into an address: it is kept in histories';

/** A user name alone is part of an ssh address; anywhere else it is a token. */
function hasSecret(scheme: string, host: string): boolean {
  const user = host.slice(0, Math.max(host.lastIndexOf('@'), 0));
  return user !== '' && (scheme !== 'ssh' || user.includes(':'));
}

function unknownKind(text: string, kind: string, rest: string): Wrong {
  const wrong = `unknown kind of source${kind ? ` "${kind}"` : ''}; expected one of ${Object.values(KINDS)
    .map(({ form }) => form)
    .join(', ')}`;
  const path = text.startsWith('/') && (/\.(tar|tgz|zip|crate)\b/.test(text) ? `archive:${text}` : `dir:${text}`);
  const repository = /^(https|ssh):/.test(text) && (/\.git\b|@/.test(rest) ? `git+${text}` : `archive:${text}`);
  const git =
    /^git(@|:\/\/)/.test(text) && `git+ssh://${text.replace(/^git:\/\//, '').replace(/^(git@[^:/]+):/, '$1/')}`;
  const requirement = kind === '' && text.includes('==') && `pypi:${text}`;
  const close = kindNear(kind);
  const meant = path || repository || git || requirement || (kind !== '' && close && `${close}${rest}`);
  return meant ? { wrong, meant } : { wrong };
}

/** `pypi:` for `pip`, or for a slip of the pen. */
function kindNear(kind: string): string | undefined {
  const alias = Object.entries(KINDS).find(([, { aliases }]) => aliases?.includes(kind.toLowerCase()));
  const close =
    alias?.[0] ??
    nearest(
      kind,
      Object.keys(KINDS).filter((each) => each !== 'git'),
    );
  return close && `${close}:`;
}

function expected(kind: SourceSpec['kind'], why: string, meant?: string): Wrong {
  return { wrong: `${why}; expected ${KINDS[kind].form}`, meant };
}

function sayWrong({ wrong, meant }: Wrong): string {
  return meant === undefined ? wrong : `${wrong}; did you mean "${meant}"?`;
}

function endOf(path: string): string {
  return path.split('/').filter(Boolean).at(-1) ?? path;
}

/**
 * The project that a source is of, whatever its version or revision: two sources of one project have the same text, which
 * is for comparing and not for reading. Kinds stay apart. What is no source is a project of its own.
 */
export function projectOfSource(text: string): string {
  const source = readable(text);
  if (source === undefined) return text.trim();
  return (KINDS[source.kind] as SourceForm<SourceSpec>).project(source);
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
