import { aptInstall, install, installByFile, literally } from '../apt';
import { type Remedy, shell } from '../goal';

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

/**
 * Debian packages by the name that CMake's own modules look for. They have no file of that name which an index could find,
 * or one that something else has too: `Python` is a folder of many a robot's package.
 */
const CMAKE_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  BISON: ['bison'],
  BLAS: ['libopenblas-dev'],
  BZip2: ['libbz2-dev'],
  Boost: ['libboost-all-dev'],
  CURL: ['libcurl4-openssl-dev'],
  Curses: ['libncurses-dev'],
  Doxygen: ['doxygen'],
  EXPAT: ['libexpat1-dev'],
  FLEX: ['flex'],
  Freetype: ['libfreetype-dev'],
  GIF: ['libgif-dev'],
  GLUT: ['freeglut3-dev'],
  GMock: ['libgmock-dev'],
  GTest: ['libgtest-dev', 'libgmock-dev'],
  Gettext: ['gettext'],
  Git: ['git'],
  HDF5: ['libhdf5-dev'],
  ICU: ['libicu-dev'],
  JNI: ['default-jdk-headless'],
  JPEG: ['libjpeg-dev'],
  Java: ['default-jdk-headless'],
  LAPACK: ['liblapack-dev'],
  LibArchive: ['libarchive-dev'],
  LibLZMA: ['liblzma-dev'],
  LibXml2: ['libxml2-dev'],
  LibXslt: ['libxslt1-dev'],
  MPI: ['libopenmpi-dev', 'openmpi-bin'],
  OpenGL: ['libgl-dev', 'libglu1-mesa-dev'],
  OpenSSL: ['libssl-dev'],
  PNG: ['libpng-dev'],
  Perl: ['perl'],
  PerlLibs: ['libperl-dev'],
  PkgConfig: ['pkg-config'],
  PostgreSQL: ['libpq-dev'],
  Protobuf: ['libprotobuf-dev', 'protobuf-compiler'],
  Python: ['python3-dev'],
  Python3: ['python3-dev'],
  PythonInterp: ['python3'],
  PythonLibs: ['python3-dev'],
  SQLite3: ['libsqlite3-dev'],
  SWIG: ['swig'],
  TIFF: ['libtiff-dev'],
  Threads: ['libc6-dev'],
  X11: ['libx11-dev'],
  ZLIB: ['zlib1g-dev'],
};
