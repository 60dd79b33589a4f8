import { quoted } from '../../experience/quoting';
import { systemPackages } from '../../repository/system-packages';
import { install, installAvailable, installByFile, literally } from '../apt';
import { type Remedy, shell } from '../goal';
import { LIBRARIES, PROGRAMS, packagesOfHeader } from '../tables/debian';
import { buildRemedies } from './build-remedies';
import { errors } from './everywhere-errors';

/** What comes first in a longer list is likelier to be meant. */
const MOST_DOCUMENTED = 40;

const remedies: readonly Remedy[] = [
  {
    name: 'install its package',
    apart: true,
    cause: 'command',
    sure: true,
    fix: (whats) => {
      const known = whats.flatMap((what) => PROGRAMS[what] ?? []);
      return known.length > 0 ? { act: install(known) } : null;
    },
  },
  {
    name: 'look it up in the archive',
    cause: 'command',
    sure: false,
    fix: (whats, { project }) => {
      // What the project declares is its own package manager's to bring.
      const declared = new Set(project.facts.dependencies.map(({ name }) => name));
      const unknown = whats.filter((what) => !PROGRAMS[what] && !declared.has(what));
      return unknown.length > 0
        ? { act: installByFile(unknown.map((what) => `^/usr/s?bin/${literally(what)}$`)) }
        : null;
    },
  },
  {
    name: 'install its development package',
    apart: true,
    cause: 'header',
    sure: true,
    fix: (whats) => {
      const known = whats.flatMap((what) => packagesOfHeader(what) ?? []);
      return known.length > 0 ? { act: install(known) } : null;
    },
  },
  {
    name: 'look the header up in the archive',
    cause: 'header',
    sure: true,
    fix: (whats, { project }) => {
      const own = (what: string) => project.survey.paths.some((path) => path === what || path.endsWith(`/${what}`));
      const unknown = whats.filter((what) => !packagesOfHeader(what) && !own(what));
      return unknown.length > 0
        ? { act: installByFile(unknown.map((what) => `^/usr/include/(.+/)?${literally(what)}$`)) }
        : null;
    },
  },
  {
    name: 'install the library',
    cause: 'library',
    sure: true,
    fix: (whats) => {
      const known = whats.flatMap((what) => LIBRARIES[what] ?? []);
      return known.length > 0 ? { act: install(known) } : null;
    },
  },
  {
    name: 'look the library up in the archive',
    cause: 'library',
    sure: true,
    // A linker names the file, a build script the library: zlib, whose file is libz.so.
    fix: (whats) => ({
      act: installByFile(
        whats.map((what) => `^/usr/lib/.*/(lib${literally(what)}\\.so|pkgconfig/(lib)?${literally(what)}\\.pc)$`),
      ),
    }),
  },
  {
    name: 'look the shared library up in the archive',
    cause: 'shared-library',
    sure: true,
    fix: (whats) => {
      const known = whats.flatMap((what) => LIBRARIES[what] ?? []);
      if (known.length > 0) return { act: install(known) };
      return { act: installByFile(whats.map((what) => `^/usr/lib/.*/lib${literally(what)}\\.so(\\.[0-9]+)*$`)) };
    },
  },
  {
    name: 'build it by the makefile beside it',
    apart: true,
    cause: 'unbuilt',
    sure: true,
    fix: (folders) => ({ act: shell(folders.map((folder) => `make -C ${quoted(folder)}`).join(' && ')) }),
  },
  ...buildRemedies,
  {
    name: 'make the locale',
    cause: 'locale',
    sure: true,
    fix: ([locale]) => ({
      act: shell(
        `apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends locales && localedef -i ${locale} -f UTF-8 ${locale}.UTF-8 && localedef -i ${locale} -f ISO-8859-1 ${locale}`,
      ),
    }),
  },
  {
    name: 'use UTF-8',
    cause: 'encoding',
    sure: true,
    fix: () => ({ act: shell('export LANG=C.UTF-8 LC_ALL=C.UTF-8') }),
  },
  {
    name: 'make the work directory a repository',
    cause: 'git-repository',
    sure: false,
    fix: (_, { project }) => ({
      act: shell(
        `cd ${project.workdir} && git init -q && git add -A && git -c user.name=setup -c user.email=setup@localhost commit -q -m Imported`,
      ),
    }),
  },
  {
    name: 'give Git a name',
    cause: 'git-identity',
    sure: true,
    fix: () => ({
      act: shell('git config --global user.name setup && git config --global user.email setup@localhost'),
    }),
  },
  {
    name: 'start it',
    cause: 'service',
    sure: true,
    fix: ([service]) => ({
      act: { action: 'start_service', service: { name: service!, kind: 'process', packages: [], env: {} } },
    }),
  },
  {
    // Tests that would start a server of their own take one that runs, where libpq's variables name it.
    name: 'name the server that runs',
    cause: 'database-server',
    sure: true,
    fix: (_, { project }) =>
      project.wanted.some(({ name }) => name === 'postgres')
        ? { act: shell('export PGHOST=127.0.0.1 PGPORT=5432 PGUSER=postgres') }
        : null,
  },
  {
    name: 'make the role',
    cause: 'database-role',
    sure: true,
    fix: ([role]) => ({ act: shell(`su postgres -c 'createuser -s "${role}"'`) }),
  },
  {
    name: 'make the database',
    cause: 'database',
    sure: true,
    fix: ([name]) => ({ act: shell(`su postgres -c 'createdb "${name}"'`) }),
  },
  {
    name: 'install the certificates',
    cause: 'certificates',
    sure: false,
    fix: () => ({ act: install(['ca-certificates']) }),
  },
  {
    name: 'install what it advises',
    apart: true,
    cause: 'advice',
    sure: true,
    fix: (whats) => ({ act: installAvailable(whats.flatMap((what) => what.split(','))) }),
  },
  {
    name: 'install what its documents have apt install',
    cause: 'documented',
    sure: false,
    fix: (_, { goal, project }) => {
      // Tests may fail for reasons of their own; only what nothing goes on without is worth the look.
      const packages = goal.optional ? [] : systemPackages(project.survey).slice(0, MOST_DOCUMENTED);
      return packages.length > 0 ? { act: installAvailable(packages) } : null;
    },
  },
  {
    name: 'let dpkg finish',
    cause: 'interrupted-packages',
    sure: true,
    fix: () => ({ act: shell('DEBIAN_FRONTEND=noninteractive dpkg --configure -a') }),
  },
  {
    name: 'wait for whoever installs',
    cause: 'locked-packages',
    sure: true,
    fix: () => ({
      act: shell(
        `echo 'DPkg::Lock::Timeout "300";' > /etc/apt/apt.conf.d/99-wait && for attempt in $(seq 30); do apt-get update -qq && break; sleep 5; done`,
      ),
    }),
  },
  {
    name: 'ask the archive again what it has',
    cause: 'stale-packages',
    sure: true,
    fix: () => ({ act: shell('apt-get clean && apt-get update -qq') }),
  },
  {
    name: 'let apt put it right',
    cause: 'unmet-packages',
    sure: true,
    fix: () => ({ act: shell('apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get -f install -y -qq') }),
  },
  {
    // An image may be newer or older than the archive is; what depends on exact versions wants all of one day.
    name: 'bring all packages to one day',
    cause: 'unmet-packages',
    sure: false,
    fix: () => ({
      act: shell(
        'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get full-upgrade -y -qq --allow-downgrades --no-install-recommends',
      ),
    }),
  },
];

/** What holds for every language; an ecosystem's own readers and remedies go first. */
export const everywhere = { readers: errors, remedies };
