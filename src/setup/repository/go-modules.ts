import { quote } from '../../rollout/shell';
import { isForeign } from './markers';
import type { Survey } from './survey';

/** Modules of their own that show or measure others: only where there is nothing else are they the project. */
const ASIDE = /^(docs?|examples?|_?samples?|benchmarks?|tools|hack|contrib|internal\/tools)(\/|$)/;

/**
 * Folders of the modules that a repository is made of, `.` for its root: those that its `go.work` uses, else the root's, else
 * all that lie below. A module below another that no workspace names is apart from it on purpose. Empty without any `go.mod`.
 */
export function goModules({ paths, texts }: Survey): string[] {
  const all = paths
    .filter((path) => /(^|\/)go\.mod$/.test(path) && !isForeign(path))
    .map((path) => path.replace(/\/?go\.mod$/, '') || '.');
  const used = usedBy(texts['go.work'] ?? '').filter((folder) => all.includes(folder));
  if (used.length > 0) return used;
  if (all.includes('.')) return ['.'];
  const own = all.filter((folder) => !ASIDE.test(folder));
  return own.length > 0 ? own : all;
}

/** `use ./a`, or a list of them in brackets. */
function usedBy(work: string): string[] {
  const text = work.replace(/\/\/.*$/gm, '');
  const lists = [...text.matchAll(/^use[ \t]*\(([^()]*)\)/gm)].flatMap(([, list]) => list!.split('\n'));
  const single = [...text.matchAll(/^use\s+([^\s(]+)/gm)].map(([, folder]) => folder!);
  const folders = [...single, ...lists]
    .map((line) => line.trim().replace(/^["'`]|["'`]$/g, ''))
    .filter(Boolean)
    .map((folder) => folder.replace(/^(\.\/)+/, '').replace(/(?<!\/)\/+$/, '') || '.');
  return [...new Set(folders)];
}

/** A command as it runs in every module: all of them run, and it fails where one of them did. */
export function inGoModules(survey: Survey, command: string): string {
  const modules = goModules(survey);
  if (modules.length === 0 || (modules.length === 1 && modules[0] === '.')) return command;
  return `(ended=0; for module in ${modules.map(quote).join(' ')}; do (cd "$module" && ${command}) || ended=$?; done; exit $ended)`;
}

/**
 * By folder, the modules that its `go.mod` replaces by folders which are not there, as in an archive of one module out of a
 * repository of many: whoever depends on the module takes them from the proxy.
 */
export function replacedByNothing(survey: Survey): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const folder of goModules(survey)) {
    const manifest = survey.texts[folder === '.' ? 'go.mod' : `${folder}/go.mod`] ?? '';
    const names = replacesOf(manifest)
      .filter(({ path }) => {
        const at = joined(folder, path);
        return at === null || !survey.paths.includes(at === '' ? 'go.mod' : `${at}/go.mod`);
      })
      .map(({ module }) => module);
    if (names.length > 0) found.set(folder, [...new Set(names)]);
  }
  return found;
}

/** `replace a => ../a`, or a list of them in brackets; replacements by other modules are none of ours. */
function replacesOf(manifest: string): { module: string; path: string }[] {
  const text = manifest.replace(/\/\/.*$/gm, '');
  const lists = [...text.matchAll(/^replace[ \t]*\(([^()]*)\)/gm)].flatMap(([, list]) => list!.split('\n'));
  const single = [...text.matchAll(/^replace[ \t]+([^(\n]+)$/gm)].map(([, line]) => line!);
  return [...lists, ...single].flatMap((line) => {
    const [, module, version, path] =
      /^\s*(\S+)(?:\s+(v\S+))?\s+=>\s+"?(\.{1,2}(?:\/[^\s"]*)?|\/[^\s"]*)"?\s*$/.exec(line) ?? [];
    return module && path ? [{ module: version ? `${module}@${version}` : module, path }] : [];
  });
}

/** A path from a folder of the repository, as from its root; null where that is outside. */
function joined(folder: string, path: string): string | null {
  if (path.startsWith('/')) return null;
  const parts = folder === '.' ? [] : folder.split('/');
  for (const part of path.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return null;
    } else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
