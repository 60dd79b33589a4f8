import type { BuildSystem, Dependency, DependencyGroup, EntryPoint, ManifestFacts } from '../facts';
import { dependenciesOf, isTestGroup, normalName, readRequirement } from '../requirement';
import { stringsOf, type Table, tablesOf } from '../tables';
import { rowOf } from './rows';

const BACKENDS: readonly (readonly [RegExp, BuildSystem])[] = [
  [/^setuptools|^pbr|^pdm\.pep517\.setuptools/, 'setuptools'],
  [/^poetry/, 'poetry'],
  [/^hatchling|^hatch/, 'hatch'],
  [/^flit/, 'flit'],
  [/^pdm/, 'pdm'],
  [/^uv_build/, 'uv'],
  [/^maturin/, 'maturin'],
  [/^scikit_build|^skbuild/, 'scikit-build'],
  [/^mesonpy/, 'meson-python'],
];

/** Build requirements that take the version from tags. */
const VCS =
  /^(setuptools[-_.]scm|setuptools[-_.]git[-_.]\w+|hatch[-_.]vcs|versioneer|versioningit|pbr|poetry-dynamic-versioning|uv-dynamic-versioning|vcs-versioning|flit[-_.]scm|dunamai|setupmeta|incremental-vcs)\b/i;

/** The standard tables, and Poetry's, Flit's and PDM's own. */
export function pyprojectFacts(toml: Table): ManifestFacts {
  const project = table(toml.project);
  const poetry = table(table(toml.tool).poetry);
  const flit = table(table(table(toml.tool).flit).metadata);
  const build = table(toml['build-system']);
  const requires = stringsOf(build.requires);
  // Without a back end it is setuptools, says PEP 517; an application may name one that it never calls.
  const isBuilt = toml.project !== undefined || toml['build-system'] !== undefined;
  const named = build['build-backend'] ?? (poetry.name ? 'poetry' : isBuilt ? 'setuptools' : '');
  const backend = saysItIsNoPackage(toml) ? '' : String(named);
  const extras = { ...table(project['optional-dependencies']), ...table(flit['requires-extra']) };
  const groups = dependencyGroups(toml);
  const pdm = table(table(table(toml.tool).pdm)['dev-dependencies']);
  const hatch = hatchEnvironments(toml);
  const uv = stringsOf(table(table(toml.tool).uv)['dev-dependencies']);
  const python = project['requires-python'] ?? table(poetry.dependencies).python ?? flit['requires-python'];
  const system = BACKENDS.find(([pattern]) => pattern.test(backend))?.[1];
  const groupsOf = (from: Table, kind: DependencyGroup['kind']) =>
    Object.keys(from).map((name) => ({ name, kind, test: isTestGroup(name) }));
  return {
    name: text(project.name) ?? text(poetry.name) ?? text(flit.module),
    version: text(project.version) ?? (poetry.version === '0.0.0' ? null : text(poetry.version)),
    vcsVersion: requires.some((one) => VCS.test(one)) || table(toml.tool).setuptools_scm !== undefined,
    runtime: python ? { python: String(python) } : {},
    buildSystems: system ? [system] : [],
    dependencies: [
      ...dependenciesOf(stringsOf(project.dependencies), 'core', FILE),
      ...dependenciesOf(stringsOf(flit.requires), 'core', FILE),
      ...dependenciesOf(requires, 'build', FILE),
      ...Object.entries(extras).flatMap(([extra, lines]) =>
        dependenciesOf(stringsOf(lines), isTestGroup(extra) ? 'test' : 'extra', FILE, extra),
      ),
      ...[groups, pdm].flatMap((from) =>
        Object.entries(from).flatMap(([group, lines]) =>
          dependenciesOf(stringsOf(lines), isTestGroup(group) ? 'test' : 'extra', FILE, group),
        ),
      ),
      ...dependenciesOf([...uv, ...hatch], 'test', FILE),
      ...poetryDependencies(poetry),
    ],
    groups: [
      ...groupsOf(extras, 'extra'),
      ...groupsOf(table(poetry.extras), 'extra'),
      ...groupsOf(groups, 'group'),
      ...groupsOf(pdm, 'tool'),
      ...groupsOf(table(poetry.group), 'tool'),
      ...(poetry['dev-dependencies'] ? [{ name: 'dev', kind: 'tool' as const, test: true }] : []),
    ],
    entryPoints: [
      ...scripts(project.scripts),
      ...scripts(project['gui-scripts']),
      ...scripts(poetry.scripts),
      ...scripts(flit.scripts),
    ],
  };
}

const FILE = 'pyproject.toml';
const table = (value: unknown): Table => tablesOf(value);
const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

function scripts(value: unknown): EntryPoint[] {
  return Object.entries(table(value)).flatMap(([name, target]) => {
    const reference = typeof target === 'string' ? target : text(table(target).reference ?? table(target).callable);
    return reference
      ? [{ kind: 'console' as const, name, target: reference.replace(/(?:(?<!\s)\s+)?\[[^[]*\]$/, '') }]
      : [];
  });
}

function poetryDependencies(poetry: Table): Dependency[] {
  const groups = Object.entries(table(poetry.group)).map(
    ([name, group]) => [name, table(table(group).dependencies)] as const,
  );
  const inExtras = new Map(
    Object.entries(table(poetry.extras)).flatMap(([extra, names]) =>
      stringsOf(names).map((name) => [readRequirement(name)?.name ?? name, extra] as const),
    ),
  );
  const read = (from: Table, scope: Dependency['scope'], group?: string) =>
    Object.entries(from)
      .filter(([name]) => name !== 'python')
      .map(([name, value]): Dependency => {
        const optional = table(Array.isArray(value) ? value[0] : value).optional === true;
        const extra = group ?? (optional ? inExtras.get(name) : undefined);
        return rowOf(name, value, { scope: optional ? 'extra' : scope, declared: FILE, ...(extra ? { extra } : {}) });
      });
  return [
    ...read(table(poetry.dependencies), 'core'),
    ...read(table(poetry['dev-dependencies']), 'test', 'dev'),
    ...groups.flatMap(([name, rows]) => read(rows, isTestGroup(name) ? 'test' : 'extra', name)),
  ];
}

/** Poetry, uv and PDM each have a word for projects that are run where they lie. */
function saysItIsNoPackage({ tool }: Table): boolean {
  const { poetry, uv, pdm } = table(tool);
  return table(poetry)['package-mode'] === false || table(uv).package === false || table(pdm).distribution === false;
}

/** What Hatch installs into the environments in which it tests. */
function hatchEnvironments(toml: Table): string[] {
  const envs = table(table(table(toml.tool).hatch).envs);
  return Object.entries(envs)
    .filter(([name]) => /^(default|hatch-test|tests?|dev|cov)$/.test(name))
    .flatMap(([, env]) => [...stringsOf(table(env).dependencies), ...stringsOf(table(env)['extra-dependencies'])])
    .filter((line) => !line.includes('{root'));
}

/** Requirements of each group of a dependency-groups table, those of the groups that it includes among them. */
function dependencyGroups(toml: Table): Readonly<Record<string, readonly string[]>> {
  const groups = tablesOf(toml['dependency-groups']);
  const byName = new Map(Object.keys(groups).map((name) => [normalName(name), groups[name]]));
  const linesOf = (name: string, within: readonly string[] = []): string[] => {
    const lines = byName.get(name);
    // One that includes itself is broken, and pip will say so.
    if (!Array.isArray(lines) || within.includes(name)) return [];
    return lines.flatMap((line: unknown) => {
      if (typeof line === 'string') return [line];
      const other = tablesOf(line)['include-group'];
      return typeof other === 'string' ? linesOf(normalName(other), [...within, name]) : [];
    });
  };
  return Object.fromEntries(Object.keys(groups).map((name) => [name, [...new Set(linesOf(normalName(name)))]]));
}
