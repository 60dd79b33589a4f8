import { quoted } from '../../experience/quoting';
import { oddNames } from '../../repository/odd-tests';
import { ownTests } from '../../repository/own-tests';
import { install } from '../apt';
import { type Fix, type Predicament, type Project, type Remedy, shell, type Ways } from '../goal';
import { PARTS_OF_PYTHON } from '../tables/debian';
import { FIXTURES, MARKERS, pluginOfKey, pluginOfOption } from '../tables/pytest';
import { lessonsIn } from '../world-lesson';
import { nextWorld, type Search, taughtWorld } from '../worlds';
import { changeInterpreter, interpreterOf } from './python-interpreter';
import { distributionFor, ofItsTime, pip, reinstalled } from './python-requirements';
import { makeWorld } from './python-world';
import { OLDER_CRATES, PREFER_OLDER_CRATES, RUST } from './rust-toolchain';

const pipInstall = (names: readonly string[]) => ({ act: shell(pip([...new Set(names)].join(' '))) });
const known = (whats: readonly string[], table: Readonly<Record<string, string>>) => {
  const names = whats.flatMap((what) => table[what] ?? []);
  return names.length > 0 ? pipInstall(names.map(quoted)) : null;
};
const allOfItsTime = ({ project, ways, worlds }: Predicament) =>
  project.released === null || worlds.trials.length > 0
    ? null
    : { act: shell(ofItsTime(project.released, reinstalled(project, ways))) };

/** Goals that show what a world is worth. */
const showsTests = ({ goal }: Predicament) => goal.id.endsWith('/tests');

/** The worlds of a project so far; null where nobody knows the day of the release. */
function searchOf(predicament: Predicament): Search | null {
  const { project, ways, worlds, text } = predicament;
  if (project.released === null || !showsTests(predicament)) return null;
  const date = project.released.slice(0, 10);
  const usesPytest = ownTests(project.facts, project.survey) === null || ways.has('runner');
  const python = /^python: (3\.\d+)$/m.exec(worlds.trials.map(({ made }) => made).join('\n'))?.[1];
  const base = worlds.trials.length > 0 ? worlds.base : { ...worlds.base, output: text };
  return {
    date,
    base,
    trials: worlds.trials,
    runner: usesPytest ? 'pytest' : null,
    interpreter: python === undefined ? null : interpreterOf(date, python),
  };
}

/** The next world in which the tests may do better; null where none is left. */
function worldOfItsTime(predicament: Predicament): Fix | null {
  const search = searchOf(predicament);
  const world = search && nextWorld(search);
  const act = world && makeWorld(predicament.project, predicament.ways, world);
  return act && { act, world };
}

/** A world like the one in which another repository lost this error: it saves the search, and stands only if it helps here too. */
function worldOfOthers(predicament: Predicament): Fix | null {
  const search = searchOf(predicament);
  const taught = search && taughtWorld(search, lessonsIn(predicament.suggestions));
  const act = taught && makeWorld(predicament.project, predicament.ways, taught.world);
  return act && { act, ...taught };
}
const interpreter = (conditions: readonly string[], ways: Ways) => {
  const act = changeInterpreter(conditions.join(','), ways);
  return act && { act };
};
const SETUPTOOLS = pip("'setuptools<81'");
const OLDER =
  "echo 'setuptools<81' > /opt/constraints.txt && export PIP_CONSTRAINT=/opt/constraints.txt PIP_BUILD_CONSTRAINT=/opt/constraints.txt";

/** Goals that run pip on the project itself. */
const installs = ({ goal }: Predicament) => /\/(project|requirements|test-tools)$/.test(goal.id);

export const pythonRemedies: readonly Remedy[] = [
  {
    name: 'use the virtual environment',
    cause: 'externally-managed',
    sure: true,
    fix: () => ({ act: shell('python3 -m venv /venv && export VIRTUAL_ENV=/venv PATH="/venv/bin:$PATH"') }),
  },
  { name: 'install ensurepip', cause: 'ensurepip', sure: true, fix: () => ({ act: install(['python3-venv']) }) },
  {
    name: 'say the version',
    cause: 'vcs-version',
    sure: true,
    fix: (_, { project }) => {
      const version = quoted((project.version ?? '1.0.0').replace(/^v/, ''));
      const names = [
        'SETUPTOOLS_SCM_PRETEND_VERSION',
        'PBR_VERSION',
        'PDM_BUILD_SCM_VERSION',
        'POETRY_DYNAMIC_VERSIONING_BYPASS',
        'VERSIONINGIT_FOR_PACKAGE_VERSION',
      ];
      return { act: shell(`export ${names.map((name) => `${name}=${version}`).join(' ')}`) };
    },
  },
  { name: 'install setuptools', cause: 'setuptools', sure: true, fix: () => pipInstall(['setuptools', 'wheel']) },
  {
    // A build in isolation takes the newest setuptools, which has it no more; what pip is told of all packages holds there too.
    name: 'use a setuptools that has it',
    cause: 'pkg-resources',
    sure: true,
    fix: (_, predicament) => ({ act: shell(installs(predicament) ? `${OLDER} && ${SETUPTOOLS}` : SETUPTOOLS) }),
  },
  {
    name: 'install its part of the system',
    cause: 'interpreter-module',
    sure: true,
    fix: (whats) => ({ act: install(whats.flatMap((what) => PARTS_OF_PYTHON[what] ?? [])) }),
  },
  {
    name: 'take an interpreter that it allows',
    cause: 'python-version',
    sure: true,
    fix: (whats, { ways }) => interpreter(whats, ways),
  },
  {
    // Tests that merely fail are the project's own; an install or a verify that does not come about needs the older one.
    name: 'take an interpreter that still has it',
    cause: 'python-gone',
    sure: false,
    fix: (whats, { goal, ways }) => (/(^|\/)(project|verify)$/.test(goal.id) ? interpreter(whats, ways) : null),
  },
  {
    name: 'install the newest Rust of the archive',
    cause: 'rust-version',
    sure: true,
    fix: () => ({ act: shell(RUST) }),
  },
  {
    name: 'resolve for this compiler',
    cause: 'rust-version',
    sure: true,
    fix: (_, { project }) => ({
      act: shell(project.survey.paths.includes('Cargo.toml') ? OLDER_CRATES : PREFER_OLDER_CRATES),
    }),
  },
  {
    name: 'install what the build imports',
    apart: true,
    cause: 'build-module',
    sure: true,
    fix: (whats, { project }) =>
      pipInstall([
        'setuptools',
        'wheel',
        ...whats.flatMap((what) => what.split(',')).map((what) => distributionFor(what, project)),
      ]),
  },
  {
    name: 'build with what is installed',
    cause: 'build-module',
    sure: true,
    fix: (_, predicament) => (predicament.goal.id.endsWith('/project') ? { way: ['isolation', 'off'] } : null),
  },
  {
    name: 'install it as users do',
    cause: 'no-editable',
    sure: true,
    fix: (_, predicament) => {
      if (installs(predicament)) return { way: ['install', 'plain'] };
      return showsTests(predicament) ? { act: shell(`${pip('--force-reinstall --no-deps .')} && ${pip('.')}`) } : null;
    },
  },
  {
    // A program of its own that nobody else installs: what it needs is brought, and it runs where it lies.
    name: 'run it where it lies',
    cause: 'no-package',
    sure: true,
    fix: (_, predicament) => (installs(predicament) ? { way: ['install', 'needed'] } : null),
  },
  {
    // An editable install of an unusual layout leaves the package unimportable although pip succeeds.
    name: 'install it as users do',
    cause: 'own-module',
    sure: true,
    fix: (_, { goal }) =>
      goal.id.endsWith('/tests') ? { act: shell(`${pip('--force-reinstall --no-deps .')} && ${pip('.')}`) } : null,
  },
  {
    name: 'install Cython',
    cause: 'cython-sources',
    sure: false,
    fix: () => pipInstall(['cython', 'setuptools', 'wheel']),
  },
  {
    name: 'install the distribution that brings it',
    apart: true,
    cause: 'module',
    sure: true,
    fix: (whats, { project }) => pipInstall(whats.map((what) => distributionFor(what, project))),
  },
  {
    name: 'install the plugin of the option',
    apart: true,
    cause: 'pytest-option',
    sure: true,
    fix: (whats) => {
      const plugins = whats
        .flatMap((what) => what.split(/\s+/))
        .map(pluginOfOption)
        .filter((plugin) => plugin !== null);
      return plugins.length > 0 ? pipInstall(plugins) : null;
    },
  },
  {
    name: 'install the plugin of the key',
    cause: 'pytest-key',
    sure: true,
    fix: (whats) => {
      const plugins = whats.map(pluginOfKey).filter((plugin) => plugin !== null);
      return plugins.length > 0 ? pipInstall(plugins) : null;
    },
  },
  {
    // The plugin is of another time than pytest, and nobody says which of the two the project means.
    name: 'take packages of its time',
    cause: 'pytest-plugin-broken',
    sure: true,
    fix: (_, predicament) => worldOfOthers(predicament) ?? worldOfItsTime(predicament) ?? allOfItsTime(predicament),
  },
  {
    name: 'install the plugin',
    cause: 'pytest-plugin',
    sure: true,
    fix: (whats) => pipInstall(whats.flatMap((what) => what.split(',')).map(quoted)),
  },
  {
    name: 'install that pytest',
    cause: 'pytest-version',
    sure: true,
    fix: ([spec]) => pipInstall([quoted(`pytest${spec}`)]),
  },
  { name: 'install what provides it', cause: 'pytest-fixture', sure: true, fix: (whats) => known(whats, FIXTURES) },
  { name: 'install what registers it', cause: 'pytest-marker', sure: true, fix: (whats) => known(whats, MARKERS) },
  {
    // What pytest N removes, N-1 warns of, which is an error in N and wherever warnings are; N-2 knows nothing of it.
    name: 'use a pytest from before that warning',
    cause: 'pytest-removed',
    sure: true,
    fix: (whats) => pipInstall([quoted(`pytest<${Math.min(...whats.map(Number)) - 1}`)]),
  },
  { name: 'install the asyncio plugin', cause: 'pytest-async', sure: true, fix: () => pipInstall(['pytest-asyncio']) },
  {
    name: 'name the settings of the tests',
    cause: 'django-settings',
    sure: true,
    fix: (_, { project }) => {
      const settings = settingsOf(project);
      if (!settings) return null;
      // A folder that is no package is on the path of whoever starts there.
      const [folder, module] = settings;
      const path = folder === '' ? '' : ` PYTHONPATH="${project.workdir}/${folder}\${PYTHONPATH:+:$PYTHONPATH}"`;
      return { act: shell(`export DJANGO_SETTINGS_MODULE=${module}${path}`) };
    },
  },
  {
    name: 'install what starts Django before the tests',
    cause: 'django-apps',
    sure: true,
    fix: (_, predicament) => (showsTests(predicament) ? pipInstall(['pytest-django']) : null),
  },
  {
    name: 'put the work directory on the path',
    cause: 'pythonpath',
    sure: false,
    fix: (_, { project }) => ({ act: shell(`export PYTHONPATH=${project.workdir}`) }),
  },
  { name: 'install libmagic', cause: 'magic', sure: true, fix: () => ({ act: install(['libmagic1']) }) },
  {
    name: 'run them with pytest',
    cause: 'no-tests',
    sure: true,
    fix: (_, { goal }) => (goal.id.endsWith('/tests') ? { way: ['runner', 'pytest'] } : null),
  },
  {
    name: 'say what they are called',
    cause: 'no-tests',
    sure: true,
    fix: (_, { goal, project }) =>
      goal.id.endsWith('/tests') && oddNames(project.facts, project.survey) !== null
        ? { way: ['runner', 'odd'] }
        : null,
  },
  {
    name: 'import it instead',
    cause: 'no-tests',
    sure: true,
    fix: (_, { goal }) => (goal.id.endsWith('/tests') ? { way: ['runner', 'smoke'] } : null),
  },
  {
    name: 'take what tests need without its versions',
    cause: 'requirements',
    sure: false,
    fix: (_, { goal }) => (goal.id.endsWith('/test-tools') ? { way: ['requirements', 'unpinned'] } : null),
  },
  {
    // Who wrote the pin had another platform, or a registry that still had it.
    name: 'take another version of what cannot be had',
    cause: 'pin',
    sure: false,
    fix: (whats, predicament) => {
      const before = predicament.ways.get('pins')?.split(',').filter(Boolean) ?? [];
      const pins = [...new Set([...before, ...whats])].sort().join(',');
      return installs(predicament) ? { way: ['pins', pins] } : null;
    },
  },
  {
    // pip says what went wrong, and not always with what.
    name: 'have it said which cannot be had',
    cause: 'requirements',
    sure: false,
    fix: (_, predicament) => (installs(predicament) && !predicament.ways.has('pins') ? { way: ['pins', ''] } : null),
  },
  {
    name: 'take packages of its time',
    cause: 'requirements',
    sure: false,
    fix: (_, predicament) =>
      predicament.project.released !== null && installs(predicament) ? { way: ['packages', 'of-its-time'] } : null,
  },
  {
    // Where the tests run and only the verifier objects, everything is there: in versions that the project may not know.
    name: 'take packages of its time',
    cause: 'error',
    sure: false,
    fix: (_, predicament) => (predicament.goal.id === 'verify' ? allOfItsTime(predicament) : null),
  },
  {
    name: 'take the world that helped another',
    cause: 'of-another-day',
    sure: true,
    fix: (_, predicament) => worldOfOthers(predicament),
  },
  {
    // Comes last: of a test that fails today nobody knows whether it ever passed.
    name: 'take the world of its day',
    cause: 'of-another-day',
    sure: false,
    fix: (_, predicament) => worldOfItsTime(predicament),
  },
];

/**
 * The settings that the tests run with, as a folder for the path and a module: those that its own files name, as far as they
 * are there, else those beside the tests, else any.
 */
function settingsOf({ survey }: Project): readonly [folder: string, module: string] | null {
  const { paths, texts } = survey;
  const named = Object.values(texts).flatMap((text) =>
    [...text.matchAll(/DJANGO_SETTINGS_MODULE['"]?\s*[,=:]\s*['"]?([A-Za-z_][\w.]*)/g)].map(([, module]) => module!),
  );
  for (const module of named) {
    const file = `${module.replaceAll('.', '/')}.py`;
    const found = paths.find((path) => path === file || path.endsWith(`/${file}`));
    if (found !== undefined) return [found.slice(0, -file.length).replace(/\/$/, ''), module];
  }
  const any =
    paths.find((path) => /^(tests?\/([\w]+\/)?|test_?project\/|example\/)(test_)?settings\.py$/.test(path)) ??
    paths.find((path) => /(^|\/)(test_)?settings\.py$/.test(path));
  return any === undefined ? null : ['', any.replace(/\.py$/, '').replaceAll('/', '.')];
}
