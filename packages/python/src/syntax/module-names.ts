/** Where the modules of a folder are imported from, and by which names: read from the paths and the imports alone. */

export interface ModulePlace {
  readonly path: string;
  /** Dotted name that it is imported by. */
  readonly name: string;
  /** Folder that Python would find it in; `.` is the folder that was read. */
  readonly root: string;
  readonly isPackage: boolean;
  readonly role: ModuleRole;
}

/** Modules that are no part of what the repository is for are told apart, and kept. */
type ModuleRole = 'source' | 'test' | 'docs' | 'example' | 'build' | 'script';

const SOURCE_FOLDERS = ['src', 'lib', 'python'];

/** What is known of a file's imports before anything is resolved. */
export interface ImportHints {
  readonly path: string;
  /** Dotted names of absolute imports. */
  readonly absolute: readonly string[];
  /** Most dots of a relative import. */
  readonly dots: number;
}

/**
 * The root of a regular package is the folder that holds its topmost `__init__.py`. Folders without one are namespace
 * packages where imports say so: by their dotted name, or by relative imports from inside.
 */
export function placeModules(files: readonly ImportHints[]): ModulePlace[] {
  const packages = new Set(files.filter(({ path }) => isInit(path)).map(({ path }) => folderOf(path)));
  packages.delete('.');
  const imported = new Set(files.flatMap(({ absolute }) => absolute));
  const roots = new Map(files.map((file) => [file.path, rootOf(file, packages, imported)]));
  const known = new Set([...roots.values()].filter((root) => root !== undefined));
  return files.map(({ path }): ModulePlace => {
    const root = roots.get(path) ?? deepestAbove(path, known);
    return { path, name: dottedName(path, root), root, isPackage: isInit(path), role: roleOf(path) };
  });
}

function rootOf(file: ImportHints, packages: ReadonlySet<string>, imported: ReadonlySet<string>): string | undefined {
  const folders = parentsOf(file.path);
  const regular = folders.find((folder) => packages.has(folder));
  const least = regular === undefined ? undefined : folderOf(regular);
  // A namespace package above: the longer name is the one that is imported.
  const above = folders.filter((folder) => least === undefined || folder.length < least.length || least !== '.');
  for (const candidate of ['.', ...above]) {
    if (candidate === least || (least !== undefined && !isAbove(candidate, least))) continue;
    const name = dottedName(file.path, candidate);
    if (
      name.includes('.') &&
      imported.has(name) &&
      !(least !== undefined && imported.has(dottedName(file.path, least)))
    )
      return candidate;
  }
  if (least !== undefined) return least;
  if (file.dots > 0) return folders.at(-1 - file.dots) ?? (folders.length === file.dots ? '.' : undefined);
  const [first, ...rest] = file.path.split('/');
  return SOURCE_FOLDERS.includes(first!) && rest.length > 0 ? first : undefined;
}

/** `a`, `a/b` of `a/b/c.py`. */
function parentsOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

function isAbove(folder: string, other: string): boolean {
  return folder === '.' || other === folder || other.startsWith(`${folder}/`);
}

function deepestAbove(path: string, roots: ReadonlySet<string>): string {
  return parentsOf(path).findLast((folder) => roots.has(folder)) ?? '.';
}

function folderOf(path: string): string {
  const at = path.lastIndexOf('/');
  return at < 0 ? '.' : path.slice(0, at);
}

function isInit(path: string): boolean {
  return path === '__init__.py' || path.endsWith('/__init__.py');
}

function dottedName(path: string, root: string): string {
  const within = root === '.' ? path : path.slice(root.length + 1);
  const stem = within.replace(/\.py$/, '');
  return (isInit(path) && stem !== '__init__' ? stem.slice(0, -'/__init__'.length) : stem).replaceAll('/', '.');
}

function roleOf(path: string): ModuleRole {
  const parts = path.split('/');
  const file = parts.at(-1)!;
  const folders = parts.slice(0, -1);
  const inside = (...names: string[]) => folders.some((folder) => names.includes(folder));
  if (inside('build', 'dist', '.eggs')) return 'build';
  if (inside('tests', 'test') || /^(test_.*|.*_tests?|conftest)\.py$/.test(file)) return 'test';
  if (inside('docs', 'doc')) return 'docs';
  if (inside('examples', 'example', 'demos', 'demo', 'samples')) return 'example';
  if (file === 'setup.py' || inside('scripts', 'bench', 'benchmarks', 'tools', 'ci')) return 'script';
  return 'source';
}
