import { testOptionsOf } from '../../repository/native-options';
import { upFrom } from '../../repository/project-root';
import { aptInstall } from '../apt';
import { type Ecosystem, type Goal, type Project, type Reader, type Remedy, shell, step, type Ways } from '../goal';

interface BuildPlan {
  readonly packages: readonly string[];
  readonly configure: ((ways: Ways) => string) | null;
  readonly build: (ways: Ways) => string;
  readonly test: (ways: Ways) => string;
}

/** Build systems that lie in the root, the one to begin with first. */
function systemsOf({ facts }: Project): string[] {
  const found = facts.buildSystems.filter((one) => ['cmake', 'meson', 'autotools', 'make'].includes(one));
  return found.length > 0 ? found : ['make'];
}

function buildPlan(project: Project, system: string): BuildPlan {
  const { survey } = project;
  const on = testOptionsOf(survey);
  switch (system) {
    case 'cmake':
      return {
        packages: ['cmake', 'ninja-build'],
        configure: () =>
          `cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBUILD_TESTING=ON${on.cmake.map((name) => ` -D${name}=ON`).join('')}`,
        build: () => 'cmake --build build',
        test: () => 'ctest --test-dir build --output-on-failure',
      };
    case 'meson':
      return {
        packages: ['meson', 'ninja-build'],
        configure: () => `meson setup build${on.meson.map((one) => ` -D${one}`).join('')}`,
        build: () => 'meson compile -C build',
        test: () => 'meson test -C build --print-errorlogs',
      };
    case 'autotools': {
      const generated = survey.paths.includes('configure');
      const bootstrap = ['autogen.sh', 'bootstrap', 'buildconf'].find((name) => survey.paths.includes(name));
      const bootstrapped = bootstrap ? `NOCONFIGURE=1 sh ./${bootstrap}` : 'autoreconf -fi';
      return {
        packages: ['autoconf', 'automake', 'libtool', 'make'],
        configure: (ways) => {
          const how = ways.get('configure') ?? (generated ? 'as-it-is' : 'generate');
          const ready = { 'as-it-is': 'chmod +x configure', generate: bootstrapped }[how] ?? 'autoreconf -fi';
          return `${ready} && ./configure`;
        },
        build: make,
        test: (ways) => `make ${ways.get('target') ?? 'check'}`,
      };
    }
    default: {
      const text = survey.texts.Makefile ?? survey.texts.makefile ?? survey.texts.GNUmakefile ?? '';
      const target = ['check', 'test', 'tests'].find((name) => new RegExp(`^${name}\\s*:`, 'm').test(text));
      return {
        packages: ['make'],
        configure: null,
        build: make,
        test: (ways) => `make ${ways.get('target') ?? target ?? 'test'}`,
      };
    }
  }
}

/** Two jobs, unless what needs something else does not wait for it. */
const make = (ways: Ways) => (ways.get('jobs') === '1' ? 'make' : 'make -j2');

/** What a build of CMake leaves in its folder. */
const LEFT = ['CTestTestfile.cmake', 'build.ninja', 'CMakeCache.txt', 'CMakeFiles'].map((name) => `build/${name}`);

function plan(project: Project): Goal[] {
  const systems = systemsOf(project);
  const plans = new Map(systems.map((system) => [system, buildPlan(project, system)]));
  const by = (ways: Ways) => plans.get(ways.get('system') ?? systems[0]!)!;
  const packages = [...plans.values()].flatMap((one) => one.packages);
  const described = project.survey.texts['debian/control'] !== undefined;
  const configure = (ways: Ways) => by(ways).configure?.(ways) ?? 'true';
  return [
    step(
      'toolchain',
      'Install compilers and the build system.',
      aptInstall([...new Set(['gcc', 'g++', 'libc6-dev', 'pkg-config', ...packages])]),
    ),
    ...(described
      ? [step('system-packages', 'Install what its Debian packaging lists.', buildDependencies(project), true)]
      : []),
    ...(systems[0] === 'make' ? [] : [step('configure', 'Configure it.', configure)]),
    step('build', 'Build it.', (ways) => {
      const other = (ways.get('system') ?? systems[0]) !== systems[0];
      // What the first one left would be taken for what is built, or for the settings of the other.
      return other
        ? `rm -rf ${LEFT.join(' ')} && { ${configure(ways)}; } && ${by(ways).build(ways)}`
        : by(ways).build(ways);
    }),
    step('tests', 'Run its tests.', (ways) => by(ways).test(ways), true),
  ];
}

/** The packaging lies in the root of the repository. */
const buildDependencies = ({ folder }: Project) =>
  `apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get build-dep -y -qq --no-install-recommends ${upFrom(folder) || './'}`;

const readers: readonly Reader[] = [
  { cause: 'autoconf-macro', pattern: /possibly undefined macro: (\w+)/g },
  {
    cause: 'configure',
    pattern:
      /(?:WARNING: 'aclocal-[\d.]+' is missing|cannot find install-sh|version mismatch\. {2}This is Automake|config\.status: error: cannot find input file|configure: error: cannot run \S*config\.sub|required file '\.\/(?:[\w.-]+\.(?:sub|guess|sh)|compile|missing|depcomp|install-sh|test-driver|ar-lib|py-compile|ylwrap)' not found|cannot find required auxiliary files)/g,
  },
  { cause: 'automake-file', pattern: /required file '\.\/(README|NEWS|AUTHORS|ChangeLog)' not found/g },
  { cause: 'test-target', pattern: /(?:No rule to make|unknown) target [`'](check|test|tests)'/g },
  { cause: 'unbuildable', pattern: /^ninja: build stopped|^make(?:\[\d+\])?: \*\*\* .*Error \d/gm, what: () => '' },
  { cause: 'unconfigurable', pattern: /^CMake Error|^configure: error|meson\.build:\d+:\d+: ERROR/gm, what: () => '' },
];

/** Packages with macros of Autoconf that projects use without bringing them. */
const MACROS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^AC_PROG_LIBTOOL|^LT_|^AM_PROG_LIBTOOL|^AC_LIBTOOL/, ['libtool']],
  [/^PKG_/, ['pkg-config']],
  [/^AX_/, ['autoconf-archive']],
  [/^AM_(GNU_)?GETTEXT|^AM_ICONV|^AM_NLS/, ['gettext', 'autopoint']],
  [/^AM_PATH_GTK|^GTK_DOC/, ['gtk-doc-tools']],
];

const otherSystem = (cause: string, of: string): Remedy => ({
  name: 'take its other build system',
  cause,
  sure: false,
  fix: (_, { project, goal, ways }) => {
    const systems = systemsOf(project);
    const next = systems[systems.indexOf(ways.get('system') ?? systems[0]!) + 1];
    return next && goal.id.endsWith(of) ? { way: ['system', next] } : null;
  },
});

const remedies: readonly Remedy[] = [
  otherSystem('unconfigurable', '/configure'),
  {
    // Makefiles that were never run with several jobs do not say what needs what.
    name: 'build one thing at a time',
    cause: 'unbuildable',
    sure: false,
    fix: (_, { goal }) => (goal.id.endsWith('/build') ? { way: ['jobs', '1'] } : null),
  },
  otherSystem('unbuildable', '/build'),
  {
    name: 'install the macros',
    cause: 'autoconf-macro',
    sure: true,
    fix: (whats) => {
      const packages = whats.flatMap((what) => MACROS.find(([pattern]) => pattern.test(what))?.[1] ?? []);
      return packages.length > 0 ? { act: shell(aptInstall(packages)) } : null;
    },
  },
  {
    name: 'generate it again',
    cause: 'configure',
    sure: true,
    fix: (_, { goal }) => (goal.id.endsWith('/configure') ? { way: ['configure', 'generate'] } : null),
  },
  {
    name: 'generate it without its own script',
    cause: 'configure',
    sure: true,
    fix: (_, { goal }) => (goal.id.endsWith('/configure') ? { way: ['configure', 'autoreconf'] } : null),
  },
  {
    // GNU's rules for what a release holds; nothing is built from them.
    name: 'make it, empty',
    cause: 'automake-file',
    sure: true,
    fix: (whats) => ({ act: shell(`touch ${whats.join(' ')}`) }),
  },
  {
    name: 'take the other target',
    cause: 'test-target',
    sure: true,
    fix: ([target], { goal }) =>
      goal.id.endsWith('/tests') ? { way: ['target', target === 'check' ? 'test' : 'check'] } : null,
  },
];

export const native: Ecosystem = { name: 'c', plan, readers, remedies };
