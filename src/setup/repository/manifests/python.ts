import { listOf, readCfg } from '../cfg';
import type { BuildSystem, Dependency, DependencyGroup, EntryPoint, ManifestFacts } from '../facts';
import { dependenciesOf, isTestGroup } from '../requirement';
import type { Survey } from '../survey';
import { readToml, type Table, tablesOf } from '../tables';
import { pyprojectFacts } from './pyproject';
import { requirementFiles } from './requirements';
import { rowOf } from './rows';
import { toxEnvironments, toxIni } from './tox';

/** All that a Python project's files say; where several say it, the newer format is believed. */
export function pythonFacts(survey: Survey): ManifestFacts {
  const { texts } = survey;
  const toml = readToml(texts['pyproject.toml']);
  const cfg = readCfg(texts['setup.cfg'] ?? '');
  const modern = pyprojectFacts(toml);
  const declared = setupCfgFacts(cfg);
  const old = setupPyFacts(texts['setup.py'] ?? '');
  const system: BuildSystem[] = [...(modern.buildSystems ?? [])];
  if (system.length === 0 && (texts['setup.py'] !== undefined || cfg.metadata)) system.push('setuptools');
  const files = requirementFiles(survey, system.length > 0);
  const pipenv = pipfileFacts(texts.Pipfile);
  const parts = [modern, declared, old, pipenv, files];
  const dependencies = parts.flatMap((part) => part.dependencies ?? []);
  const wanted = parts.map((part) => part.runtime?.python).find(Boolean);
  if (system.length === 0 && (files.groups!.length > 0 || texts.Pipfile !== undefined)) system.push('requirements');
  if (survey.paths.includes('uv.lock')) system.push('uv');
  if (toxIni(survey) !== '' || texts['tox.toml'] !== undefined || tablesOf(toml.tool).tox !== undefined)
    system.push('tox');
  if (texts['noxfile.py'] !== undefined) system.push('nox');
  const name = first(parts, 'name') ?? packageInfo(texts['PKG-INFO'], 'Name');
  const given = (old.modules ?? []).filter((module) => !NO_MODULES.test(module));
  const inTree = given.length === 0 && name !== null && isPackageItself(survey) ? [moduleOf(name)] : modulesOf(survey);
  return {
    name,
    version: first(parts, 'version') ?? packageInfo(texts['PKG-INFO'], 'Version'),
    vcsVersion: parts.some((part) => part.vcsVersion === true),
    runtime: wanted ? { python: wanted } : {},
    buildSystems: system,
    dependencies: unique(dependencies),
    groups: uniqueGroups([...parts.flatMap((part) => part.groups ?? []), ...toxGroups(survey)]),
    entryPoints: [...parts.flatMap((part) => part.entryPoints ?? []), ...mainModules(survey)],
    // A package that lies in a folder of another name is only known to its setup.py.
    modules: [...new Set([...inTree, ...given])],
    testFrameworks: frameworksOf(survey, toml, cfg, dependencies),
  };
}

function setupCfgFacts(cfg: ReturnType<typeof readCfg>): ManifestFacts {
  const options = cfg.options ?? {};
  const extras = cfg['options.extras_require'] ?? {};
  const version = cfg.metadata?.version;
  const requires = options.python_requires;
  const dependencies: (Dependency | null)[] = [
    ...dependenciesOf(listOf(options.install_requires, /\n|;(?=\s*$)/), 'core', 'setup.cfg'),
    ...dependenciesOf(listOf(options.setup_requires, /\n/), 'build', 'setup.cfg'),
    ...dependenciesOf(listOf(options.tests_require, /\n/), 'test', 'setup.cfg'),
    ...Object.entries(extras).flatMap(([extra, lines]) =>
      dependenciesOf(listOf(lines, /\n/), isTestGroup(extra) ? 'test' : 'extra', 'setup.cfg', extra),
    ),
  ];
  return {
    name: cfg.metadata?.name ?? null,
    // `attr: package.__version__` and `file: VERSION` name where it is, not what it is.
    version: version && !/^(attr|file):/.test(version) ? version : null,
    vcsVersion: cfg.pbr !== undefined || cfg.versioneer !== undefined,
    runtime: requires ? { python: requires } : {},
    dependencies: dependencies.filter((found) => found !== null),
    groups: Object.keys(extras).map((name) => ({ name, kind: 'extra' as const, test: isTestGroup(name) })),
    entryPoints: listOf(cfg['options.entry_points']?.console_scripts, /\n/).flatMap(consoleScript),
  };
}

/** `name = package.module:function`. */
function consoleScript(line: string): EntryPoint[] {
  const parts = /^([\w.-]+)\s*=\s*([\w.]+(?::[\w.]+)?)/.exec(line);
  return parts ? [{ kind: 'console', name: parts[1]!, target: parts[2]! }] : [];
}

/** Packages that have a `__main__`, but those of tests. */
function mainModules(survey: Survey): EntryPoint[] {
  const modules = new Set(modulesOf(survey));
  return survey.paths
    .map((path) => /^(?:src\/|lib\/)?([A-Za-z_]\w*)\/__main__\.py$/.exec(path)?.[1])
    .filter((name) => name !== undefined && modules.has(name))
    .map((name) => ({ kind: 'module', name: name!, target: `${name}.__main__` }));
}

const NO_MODULES =
  /^(tests?|testing|docs?|examples?|samples?|benchmarks?|scripts?|tools?|bin|setup|conftest|noxfile|versioneer|tasks|fabfile|manage|build|dist|ci|etc|demo|demos|contrib|misc|extras?|ez_setup|run_?tests?|_custom_build|runtests|__\w+__)$/;

/** Packages and modules that lie in the root or in `src/` (or `lib/`). */
function modulesOf({ paths }: Survey): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    const parts = /^(?:(src|lib|python)\/)?([A-Za-z_]\w*)(?:\/__init__\.pyi?|\.py|\/[A-Za-z_]\w*\/__init__\.py)$/.exec(
      path,
    );
    if (!parts || NO_MODULES.test(parts[2]!) || parts[2]!.startsWith('test_') || /\.egg-info/.test(path)) continue;
    if (!parts[1] && /^(src|lib|python)$/.test(parts[2]!)) continue;
    // A namespace package has no __init__ of its own; a loose module in a folder that is none does not count.
    found.add(parts[2]!);
  }
  return [...found];
}

/** Whether the root is the package, and what lies in it are its submodules: it has an `__init__`, and no folder has. */
function isPackageItself({ paths }: Survey): boolean {
  const folders = /^(?:(?:src|lib|python)\/)?([A-Za-z_]\w*)\/__init__\.py$/;
  return paths.includes('__init__.py') && !paths.some((path) => !NO_MODULES.test(folders.exec(path)?.[1] ?? 'tests'));
}

const moduleOf = (name: string) => name.replaceAll('-', '_');

function frameworksOf(survey: Survey, toml: Table, cfg: object, dependencies: readonly Dependency[]): string[] {
  const { texts, paths } = survey;
  const names = new Set(dependencies.map(({ name }) => name.toLowerCase()));
  const commands = [toxIni(survey), texts['tox.toml'], texts['noxfile.py'], texts.Makefile, texts['setup.cfg']].join(
    '\n',
  );
  const found: string[] = [];
  const pytest =
    [...names].some((name) => /^pytest\b/.test(name)) ||
    tablesOf(toml.tool).pytest !== undefined ||
    'tool:pytest' in cfg ||
    paths.some((path) => /(^|\/)(conftest\.py|\.?pytest\.ini)$/.test(path)) ||
    /\b(pytest|py\.test)\b/.test(commands);
  if (pytest) found.push('pytest');
  if (/\bpython\S*\s+(-\S+\s+)*-m unittest\b|\bmanage\.py test\b/.test(commands)) found.push('unittest');
  if (names.has('nose') || /\bnosetests\b/.test(commands)) found.push('nose');
  if (names.has('zope.testrunner')) found.push('zope.testrunner');
  if (texts['manage.py'] !== undefined) found.push('django');
  if (found.length === 0 && paths.some((path) => /(^|\/)(test_[^/]*|[^/]*_test|tests?)\.py$/.test(path)))
    found.push('unittest');
  return found;
}

function toxGroups(survey: Survey): DependencyGroup[] {
  const extras = toxEnvironments(survey).flatMap((env) => env.extras);
  return extras.filter(isTestGroup).map((name) => ({ name, kind: 'extra', test: true }));
}

function packageInfo(text: string | undefined, field: 'Name' | 'Version'): string | null {
  return new RegExp(`^${field}:\\s*(\\S+)`, 'm').exec(text ?? '')?.[1] ?? null;
}

function first<Key extends 'name' | 'version'>(parts: readonly ManifestFacts[], key: Key): string | undefined {
  return parts.map((part) => part[key]).find((value) => typeof value === 'string' && value !== '') ?? undefined;
}

function unique(dependencies: readonly Dependency[]): Dependency[] {
  const seen = new Map<string, Dependency>();
  for (const one of dependencies) {
    const key = `${one.name.toLowerCase()} ${one.scope} ${one.extra ?? ''} ${one.marker ?? ''}`;
    if (!seen.has(key)) seen.set(key, one);
  }
  return [...seen.values()];
}

function uniqueGroups(groups: readonly DependencyGroup[]): DependencyGroup[] {
  return groups.filter(
    (one, at) => groups.findIndex((other) => other.kind === one.kind && other.name === one.name) === at,
  );
}

const FILE = 'Pipfile';
const DEVELOPING = 'dev-packages';

/** Pipenv's list: what a program needs, and what its developers do. */
function pipfileFacts(text: string | undefined): ManifestFacts {
  const toml = readToml(text);
  const developing = tablesOf(toml[DEVELOPING]);
  return {
    name: null,
    version: null,
    dependencies: [
      ...rows(tablesOf(toml.packages), { scope: 'core', declared: FILE }),
      ...rows(developing, { scope: 'test', declared: FILE, extra: DEVELOPING }),
    ],
    groups: Object.keys(developing).length > 0 ? [{ name: DEVELOPING, kind: 'tool', test: true }] : [],
  };
}

/** Without the project itself, which lies in `.`. */
function rows(from: Table, place: Parameters<typeof rowOf>[2]): Dependency[] {
  return Object.entries(from)
    .map(([name, value]) => rowOf(name, value, place))
    .filter(({ spec }) => spec !== '.');
}

/**
 * What literals in a `setup.py` say. It is a program, so what it computes stays unknown: better to know nothing of a
 * version than to believe a wrong one.
 */
function setupPyFacts(text: string): ManifestFacts {
  const source = text.replace(/^[ \t]*#.*$/gm, '');
  const extras = extrasOf(source);
  const python = literal(source, 'python_requires');
  const dependencies: Dependency[] = [
    ...dependenciesOf(listAt(source, 'install_requires'), 'core', SETUP_PY),
    ...dependenciesOf(listAt(source, 'setup_requires'), 'build', SETUP_PY),
    ...dependenciesOf(listAt(source, 'tests_require'), 'test', SETUP_PY),
    ...Object.entries(extras).flatMap(([extra, lines]) =>
      dependenciesOf(lines, isTestGroup(extra) ? 'test' : 'extra', SETUP_PY, extra),
    ),
  ];
  return {
    name: literal(source, 'name'),
    version: literal(source, 'version'),
    vcsVersion:
      /\b(use_scm_version|setup_requires\s*=\s*\[[^\]]{0,1000}(setuptools[-_]scm|pbr)|pbr\s*=\s*True|versioneer\.get_version)/.test(
        source,
      ),
    runtime: python ? { python } : {},
    dependencies,
    modules: [...listAt(source, 'packages'), ...listAt(source, 'py_modules')].filter((name) =>
      /^[A-Za-z_]\w*$/.test(name),
    ),
    groups: Object.keys(extras).map((name) => ({ name, kind: 'extra' as const, test: isTestGroup(name) })),
    entryPoints: listAt(source, '[\'"]console_scripts[\'"]').flatMap(consoleScript),
  };
}

const SETUP_PY = 'setup.py';
const STRING = /(?:[rub]|\b)?(?:'''([\s\S]*?)'''|"""([\s\S]*?)"""|'([^'\n]*)'|"([^"\n]*)")/g;

function literal(source: string, key: string): string | null {
  // The last one, because what `setup()` is called with comes after helpers with arguments of the same name.
  const found = [...source.matchAll(new RegExp(`\\b${key}\\s*=\\s*(?:'([^'\\n]+)'|"([^"\\n]+)")\\s*(?=[,)\\n])`, 'g'))];
  const last = found.at(-1);
  return last?.[1] ?? last?.[2] ?? null;
}

/** Texts of the list after `key=` or `key:`; a name stands for the list that was assigned to it. */
function listAt(source: string, key: string, depth = 0): string[] {
  const at = new RegExp(`(?:\\b|(?=['"]))${key}\\s*[=:]\\s*`).exec(source);
  if (!at) return [];
  const rest = source.slice(at.index + at[0].length);
  if (/^[[(]/.test(rest)) return textsIn(bracketed(rest));
  const quoted = /^(?:"""|''')/.test(rest) ? [...rest.matchAll(STRING)][0] : undefined;
  if (quoted)
    return (quoted[1] ?? quoted[2] ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
  const variable = /^([A-Za-z_]\w*)\s*[,)\n]/.exec(rest)?.[1];
  return variable && depth < 2 && variable !== key ? listAt(source, variable, depth + 1) : [];
}

function extrasOf(source: string): Record<string, string[]> {
  const at = /\bextras_require\s*=\s*(\{|[A-Za-z_]\w*)/.exec(source);
  if (!at) return {};
  const start =
    at[1] === '{' ? at.index + at[0].length - 1 : (new RegExp(`\\b${at[1]}\\s*=\\s*\\{`).exec(source)?.index ?? -1);
  if (start < 0) return {};
  const body = bracketed(source.slice(source.indexOf('{', start)));
  const extras: Record<string, string[]> = {};
  for (const entry of body.matchAll(/['"]([\w.-]+)['"]\s*:\s*(?=[[(])/g)) {
    extras[entry[1]!] = textsIn(bracketed(body.slice(entry.index + entry[0].length)));
  }
  return extras;
}

function textsIn(body: string): string[] {
  return [...body.matchAll(STRING)].map(([, a, b, c, d]) => (a ?? b ?? c ?? d ?? '').trim()).filter(Boolean);
}

/** From an opening bracket to the one that closes it, quotes minded. */
function bracketed(text: string): string {
  const close: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}' };
  const open: string[] = [];
  let quote: string | null = null;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]!;
    if (quote) {
      if (char === quote) quote = null;
    } else if (char === "'" || char === '"') quote = char;
    else if (close[char]) open.push(close[char]!);
    else if (char === open.at(-1)) {
      open.pop();
      if (open.length === 0) return text.slice(0, at + 1);
    }
  }
  return text;
}
