import type { Survey } from './survey';
import { readToml, stringsOf, type Table, tablesOf } from './tables';

/**
 * Folders of other packages that a Python project is developed with and that lie in the same repository: members of uv's
 * workspace, and what uv, Poetry and PDM are told to take from a path. A registry has other versions of them, or none.
 */
export function membersOf({ paths, texts }: Survey): string[] {
  const { uv, poetry, pdm } = tablesOf(readToml(texts['pyproject.toml']).tool);
  const { members, exclude } = tablesOf(tablesOf(uv).workspace);
  const packages = paths
    .map((path) => /^(.+)\/(?:pyproject\.toml|setup\.py)$/.exec(path)?.[1])
    .filter((folder) => folder !== undefined);
  const patterns = [...stringsOf(members), ...fromPaths(uv, poetry, pdm)].map(globbed);
  const without = stringsOf(exclude).map(globbed);
  const isMember = (folder: string) =>
    patterns.some((pattern) => pattern.test(folder)) && !without.some((pattern) => pattern.test(folder));
  return [...new Set(packages)].filter(isMember).sort();
}

/** What these are called where their own files say so: no registry is asked for them. */
export function memberNames(survey: Survey): string[] {
  return membersOf(survey).flatMap((folder) => {
    const { project, tool } = readToml(survey.texts[`${folder}/pyproject.toml`]);
    const name = tablesOf(project).name ?? tablesOf(tablesOf(tool).poetry).name;
    return typeof name === 'string' ? [name] : [];
  });
}

function fromPaths(uv: unknown, poetry: unknown, pdm: unknown): string[] {
  const groups = Object.values(tablesOf(tablesOf(poetry).group)).map((group) => tablesOf(tablesOf(group).dependencies));
  const tables = [
    tablesOf(tablesOf(uv).sources),
    tablesOf(tablesOf(poetry).dependencies),
    tablesOf(tablesOf(poetry)['dev-dependencies']),
    ...groups,
  ];
  const rows = tables.flatMap((rowsOf: Table) => Object.values(rowsOf)).flat();
  const named = rows.map((row) => tablesOf(row).path).filter((path) => typeof path === 'string');
  // PDM writes where its project is as a variable.
  const addressed = Object.values(tablesOf(tablesOf(pdm)['dev-dependencies']))
    .flatMap(stringsOf)
    .flatMap((line) => /^-e file:\/\/\/?\$\{PROJECT_ROOT\}\/([^#\s]+)/.exec(line)?.[1] ?? []);
  return [...named, ...addressed].map((path) => path.replace(/^\.\//, '').replace(/\/$/, ''));
}

/** A pattern of folders: `*` stands for one name, `**` for any number of them. */
function globbed(pattern: string): RegExp {
  const parts = pattern.split(/(\*+)/).map((part) => {
    if (part === '*') return '[^/]*';
    return part.startsWith('*') ? '.*' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('').replace(/\/$/, '')}$`);
}
