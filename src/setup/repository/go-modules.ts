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
  const lists = [...text.matchAll(/^use\s*\(([^)]*)\)/gm)].flatMap(([, list]) => list!.split('\n'));
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
