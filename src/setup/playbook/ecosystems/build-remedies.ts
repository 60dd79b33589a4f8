import { aptInstall, install, installByFile, literally } from '../apt';
import { type Remedy, shell } from '../goal';
import { CMAKE_PACKAGES } from '../tables/cmake';

/** Against what the tools of a native build say, whichever language's tool has called them. */
export const buildRemedies: readonly Remedy[] = [
  {
    name: 'look the module up in the archive',
    cause: 'pkg-config',
    sure: true,
    fix: (whats) => ({
      act: installByFile([
        '^/usr/bin/pkgconf$',
        ...whats.map((what) => `^/usr/(lib|share)/.*pkgconfig/${literally(what)}\\.pc$`),
      ]),
    }),
  },
  {
    name: 'install what it is looked for in',
    apart: true,
    cause: 'cmake-package',
    sure: true,
    fix: (whats) => {
      const known = whats.flatMap((what) => CMAKE_PACKAGES[what] ?? []);
      return known.length > 0 ? { act: install(known) } : null;
    },
  },
  {
    name: 'look the package up in the archive',
    cause: 'cmake-package',
    sure: true,
    fix: (whats) => {
      const unknown = whats.filter((what) => !CMAKE_PACKAGES[what]);
      if (unknown.length === 0) return null;
      const patterns = unknown.map(
        (what) =>
          `^/usr/(lib|share)/.*(cmake/.*/?(${literally(what)}|${literally(what.toLowerCase())})-?[Cc]onfig\\.cmake|pkgconfig/(lib)?${literally(what.toLowerCase())}\\.pc)$`,
      );
      return { act: installByFile(patterns) };
    },
  },
  {
    // CMake takes it from here too, wherever in a build it is called.
    name: 'let CMake take it for newer',
    cause: 'cmake-policy',
    sure: true,
    fix: () => ({ act: shell('export CMAKE_POLICY_VERSION_MINIMUM=3.5') }),
  },
  {
    // Python's registry has the newest of both. Only the programs are put on the path: a folder of its own has a Python too.
    name: 'install a newer one',
    cause: 'older-tool',
    sure: true,
    fix: ([tool]) => {
      const folder = `/opt/${tool}`;
      const programs = (tool === 'cmake' ? ['cmake', 'ctest'] : [tool]).map((name) => `${folder}/bin/${name}`);
      return {
        act: shell(
          `${aptInstall(['python3-venv'])} && python3 -m venv ${folder} && ${folder}/bin/python -m pip install -q ${tool} && ln -sf ${programs.join(' ')} /usr/local/bin/`,
        ),
      };
    },
  },
  {
    name: 'install them for the system’s Python',
    cause: 'python-of-build',
    sure: true,
    fix: (whats) => ({
      act: install(
        whats.flatMap((what) => what.split(',').map((name) => `python3-${name.toLowerCase().replace(/[._]+/g, '-')}`)),
      ),
    }),
  },
];
