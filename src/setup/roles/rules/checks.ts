import type { ChargeKind } from '../../../contract';
import { quote } from '../../../rollout/shell';
import { guestProgram } from '../../guest';
import { NOT_BROUGHT } from '../../playbook/worlds';
import { type Dependency, declaredFor, type Language } from '../../repository/facts';
import { inGoModules } from '../../repository/go-modules';
import { normalName } from '../../repository/requirement';
import type { Case, Observed } from '../role';
import type { Interpreter } from './interpreter';
import { mavenFlags, scriptsOf } from './native-tests';
import { type Repository, rowsOf } from './play';

/** A charge before it was brought: `command` ends with 0 where there is nothing in it. */
export interface Suspicion {
  readonly kind: ChargeKind;
  readonly claim: string;
  readonly declared: string;
  readonly command: string;
}

/** Looks at many things with one command; what it finds wrong is then shown one by one. */
interface Check {
  readonly command: string;
  suspicions(observed: Observed): Suspicion[];
}

/**
 * What the repository declares and the environment must therefore have, by language. Optional extras are not asked for. Of
 * what the set-up's own `steps` could not install any version will do, and Java is compiled at the level that they named.
 */
export function checksOf(
  repository: Repository,
  interpreters: readonly Interpreter[],
  steps: Case['steps'] = [],
): Check[] {
  const [language] = repository.facts.languages;
  return (language && CHECKS[language]?.(repository, interpreters, steps)) || [];
}

/** Distributions that an installer said it could not bring: a pin may be of a platform, or of a registry, that is no more. */
function notBrought(steps: Case['steps']): ReadonlySet<string> {
  const said = steps.flatMap(({ move, observed }) => {
    const installs = move.action === 'shell' && /\b(?:pip|uv)\b.{0,400}\binstall\b/s.test(move.command);
    return installs && observed.exitCode !== 0 && observed.exitCode !== null ? [observed.output] : [];
  });
  const names = said.flatMap((output) => NOT_BROUGHT.flatMap((pattern) => pattern.exec(output)?.[1] ?? []));
  return new Set(names.map(normalName));
}

/** A language without an entry is judged by what its own runner says. */
const CHECKS: Readonly<
  Partial<
    Record<Language, (repository: Repository, interpreters: readonly Interpreter[], steps: Case['steps']) => Check[]>
  >
> = {
  python: (repository, interpreters, steps) =>
    pythonChecks(repository, interpreters[0]?.path ?? 'python3', notBrought(steps)),
  node: nodeChecks,
  go: goChecks,
  rust: rustChecks,
  c: (repository) => [linked(repository)],
  cpp: (repository) => [linked(repository)],
  java: (repository, _, steps) => javaChecks(repository, steps),
};

const KINDS: Readonly<Record<string, ChargeKind>> = {
  distribution: 'dependency',
  package: 'dependency',
  tool: 'dependency',
  python: 'interpreter',
  node: 'interpreter',
};

/** Folders and files that lie beside a package without being part of it. */
const BESIDE = /^(tests?|setup|docs?|examples?|conftest|benchmarks?|scripts?|tools?|noxfile|tasks)$/;

/** Of use to a build alone. One that went well without, from sources that were translated beforehand, did not want it. */
const BUILDER =
  /^(cython|setuptools|wheel|setuptools-(scm|rust)|pybind11|nanobind|scikit-build(-core)?|cmake|ninja|meson|meson-python|maturin|hatchling|flit-core|poetry-core|pdm-backend|build)$/;

/** Not on the package index, or another name for what is there already. */
const isCore = ({ scope, spec }: Dependency) => scope === 'core' && !/^(?:@|https?:|git\+|file:|\.)/.test(spec);

function pythonChecks({ facts, workdir, survey }: Repository, python: string, unpinned: ReadonlySet<string>): Check[] {
  const plain = (name: string | null) => (name ?? '').toLowerCase().replace(/[-_.]+/g, '-');
  // A file beside the packages may be a script that does its work when it is imported.
  const isPackage = (name: string) =>
    !BESIDE.test(name) &&
    (facts.modules.length === 1 || survey.paths.some((path) => path.endsWith(`${name}/__init__.py`)));
  const packages = facts.modules.filter(isPackage);
  // A module with an underscore is nobody's entrance: often the optional half in C of one that does without.
  const open = packages.filter((name) => !name.startsWith('_'));
  const declared = declaredFor(facts, 'python');
  // A list of requirements may name what the build alone needs, which is gone once it is built apart.
  const builds = new Set(declared.filter(({ scope }) => scope === 'build').map(({ name }) => plain(name)));
  const isListed = ({ declared: file, name }: Dependency) =>
    /requirements|\.txt$/.test(file) && (builds.has(plain(name)) || BUILDER.test(plain(name)));
  const items: PythonItem[] = [
    ...declared
      .filter((one) => isCore(one) && plain(one.name) !== plain(facts.name) && !isListed(one))
      .map(({ name, importNames, spec, marker = '' }): PythonItem => {
        return ['distribution', name, importNames, unpinned.has(normalName(name)) ? '' : spec, marker];
      }),
    ...(open.length > 0 ? open : packages).map((name): PythonItem => ['module', name]),
    ...facts.entryPoints
      .filter(({ kind }) => kind === 'console')
      .map(({ name, target }): PythonItem => ['script', name, target]),
    ...(facts.runtime.python ? [['python', facts.runtime.python] as const] : []),
  ];
  return inParts(items, (part) => pythonCheck(workdir, python, part), sourcesOf(declared));
}

/** Of the tools for developing only those count that the test script itself calls: a linter that is missing harms nobody's tests. */
function nodeChecks({ facts, workdir, survey }: Repository): Check[] {
  const scripts = scriptsOf(survey.texts['package.json']);
  const called = Object.entries(scripts)
    .filter(([name]) => /^(?:test|tests-only|unit|test:unit)$/.test(name))
    .map(([, text]) => text)
    .join('\n');
  const calls = (name: string) =>
    new RegExp(`(?:^|[\\s/&;|"'])${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?=$|[\\s&;|"'])`, 'm').test(called);
  const declared = declaredFor(facts, 'node');
  const items: NodeItem[] = [
    ...declared.filter(({ scope }) => scope === 'core').map(({ name, spec }): NodeItem => ['package', name, spec]),
    ...declared
      .filter(({ scope, name }) => scope === 'test' && calls(name))
      .map(({ name, spec }): NodeItem => ['tool', name, spec]),
    ...facts.entryPoints.flatMap(({ kind, name, target }): NodeItem[] =>
      kind === 'bin' ? [['program', name, target]] : kind === 'main' ? [['main', name, target]] : [],
    ),
    ...(facts.runtime.node ? [['node', facts.runtime.node] as const] : []),
  ];
  return inParts(items, (part) => nodeCheck(workdir, part), sourcesOf(declared));
}

const sourcesOf = (dependencies: readonly Dependency[]) => (name: string) =>
  dependencies.find((one) => one.name === name)?.declared ?? '';

/** Most charges that one command brings: the first few say what the others would. */
const MOST = 4;

function inParts<Item extends readonly [string, ...unknown[]]>(
  items: readonly Item[],
  commandOf: (items: readonly Item[]) => string,
  declaredIn: (name: string) => string,
): Check[] {
  if (items.length === 0) return [];
  const command = commandOf(items);
  return [
    {
      command,
      suspicions(observed) {
        const rows = rowsOf(observed.output, 'missing');
        if (rows.length === 0 && observed.exitCode !== 0) {
          return [
            { kind: 'interpreter', claim: 'The declared dependencies cannot be looked at', declared: '', command },
          ];
        }
        return rows.slice(0, MOST).flatMap(([kind = '', name = '', why = '']) => {
          const item = items.find(([one, ...rest]) => one === kind && rest[0] === name);
          if (!item) return [];
          const claim = KINDS[kind] ? `${name} is declared, and ${why}` : `${name} does not start: ${why}`;
          return [
            { kind: KINDS[kind] ?? 'entry_point', claim, declared: declaredIn(name), command: commandOf([item]) },
          ];
        });
      },
    },
  ];
}

/** A command whose own exit code says all. */
function plainCheck(kind: ChargeKind, claim: string, declared: string, command: string): Check {
  return { command, suspicions: ({ exitCode }) => (exitCode === 0 ? [] : [{ kind, claim, declared, command }]) };
}

function goChecks({ workdir, survey }: Repository): Check[] {
  const inAll = (command: string) => `cd ${quote(workdir)} && ${inGoModules(survey, command)}`;
  return [
    plainCheck(
      'dependency',
      'Not all packages that the module imports are there',
      'go.mod',
      inAll('go list -deps -test ./... > /dev/null'),
    ),
    plainCheck('entry_point', 'The packages do not build', 'go.mod', inAll('go build ./...')),
  ];
}

function rustChecks({ workdir, facts }: Repository): Check[] {
  const at = `cd ${quote(workdir)} &&`;
  const metadata = `${at} cargo metadata --offline --format-version 1 > /dev/null`;
  const programs = facts.entryPoints.filter(({ kind }) => kind === 'bin');
  return [
    plainCheck('dependency', 'Not all crates that it depends on are there', 'Cargo.toml', metadata),
    ...(programs.length > 0
      ? [plainCheck('entry_point', 'Its programs do not build', 'Cargo.toml', `${at} cargo build --offline --bins`)]
      : []),
  ];
}

/** A file of the repository's own that may be a program or a library: what is wrong with it, no set-up did. */
const MAY_BE_BINARY = /(?:^|\/)[^./][^/]*\.so(?:\.|$)|(?:^|\/)[^./][^./]*$|\.(?:elf|bin|out|exe)$/;
const MOST_OWN = 500;

/** What was built must find its libraries. Those that were built along are found by how the build starts its programs. */
function linked({ workdir, survey }: Repository): Check {
  const own = survey.paths.filter((path) => MAY_BE_BINARY.test(path)).slice(0, MOST_OWN);
  const others = own.length > 0 ? ` | grep -vxF ${quote(own.map((path) => `./${path}`).join('\n'))}` : '';
  const built = `find . -type f \\( -perm -u+x -o -name '*.so*' \\) -not -path './.git/*'${others} | sed -n '1,300p'`;
  const command = [
    `cd ${quote(workdir)}`,
    // Of a script `ldd` says that it is none of its business, which is no failure here.
    `missing=$(${built} | xargs -r -d '\\n' ldd 2> /dev/null | sed -n 's/^\\s*\\(\\S*\\) => not found.*/\\1/p' | sort -u | while IFS= read -r name; do [ -n "$(find . -name "$name" -print -quit)" ] || echo "$name => not found"; done; true)`,
    `{ [ -z "$missing" ] || { echo "$missing"; false; }; }`,
  ].join(' && ');
  return plainCheck('dependency', 'A library that its programs are linked with is not there', '', command);
}

function javaChecks({ facts, workdir, survey }: Repository, steps: Case['steps']): Check[] {
  const at = `cd ${quote(workdir)} &&`;
  const run = (file: string, program: string) => (survey.paths.includes(file) ? `sh ./${file}` : program);
  if (facts.buildSystems.includes('maven')) {
    return [
      plainCheck(
        'dependency',
        'It does not compile with what is there',
        'pom.xml',
        `${at} ${run('mvnw', 'mvn')} -o -B -q test-compile ${mavenFlags(steps)}`,
      ),
    ];
  }
  if (!facts.buildSystems.includes('gradle')) return [];
  return [
    plainCheck(
      'dependency',
      'It does not compile with what is there',
      'build.gradle',
      `${at} ${run('gradlew', 'gradle')} --offline -q testClasses`,
    ),
  ];
}

/** One thing that a Node.js environment must have. */
type NodeItem =
  | readonly ['package', name: string, spec: string]
  | readonly ['tool', name: string, spec: string]
  | readonly ['program', name: string, target: string]
  | readonly ['main', name: string, target: string]
  | readonly ['node', spec: string];

/**
 * Finds packages as Node.js does, from the work directory upwards, then where the system keeps its own. Prints a line for
 * each item that is not as declared; ends with 1 if there is one. A package brings its own dependencies, so those count too.
 */
const NODE_CHECK = guestProgram('check.cjs');

/**
 * The command that checks some items from the work directory, run by the first Node.js on the path that is new enough to run
 * it. Yarn's Plug'n'Play keeps no folder that could be looked at.
 */
export function nodeCheck(workdir: string, items: readonly NodeItem[]): string {
  const find = `for each in $(which -a node); do "$each" -e 'Object.fromEntries([])' 2> /dev/null && break; done`;
  const check = `exec "\${each:-node}" -e ${quote(NODE_CHECK)} ${quote(JSON.stringify(items))}`;
  return `cd ${quote(workdir)} && { [ -e .pnp.cjs ] || ( ${find}; ${check} ); }`;
}

/** One thing that a Python environment must have. */
type PythonItem =
  | readonly ['distribution', name: string, modules: readonly string[], spec: string, marker: string]
  | readonly ['module', name: string]
  | readonly ['script', name: string, target: string]
  | readonly ['python', spec: string];

/**
 * Runs in the interpreter that is examined. Prints a line for each item that is not as declared, and ends with 1 if there
 * is one. What is importable counts, whoever installed it, as long as its version is one that the declaration allows.
 */
const PYTHON_CHECK = guestProgram('check.py');

/** The command that checks some items with one interpreter, from the work directory. */
function pythonCheck(workdir: string, interpreter: string, items: readonly PythonItem[]): string {
  return `cd ${quote(workdir)} && ${quote(interpreter)} -c ${quote(PYTHON_CHECK)} ${quote(JSON.stringify(items))}`;
}
