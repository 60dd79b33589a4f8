import { remedyFor } from './remedy-for';

/** What CMake, Meson and pkg-config say is the same in a build of its own and inside of pip's. */
const PYTHON = {
  'pyproject.toml': '[build-system]\nrequires=["meson-python"]\nbuild-backend="mesonpy"\n[project]\nname="stamp"\n',
  'stamp/__init__.py': '',
  'tests/test_a.py': '',
};
const C = { 'meson.build': "project('a', 'c')", 'a.c': '' };
const CMAKE = { 'CMakeLists.txt': 'project(stamp)', 'a.c': '' };
const RUST = { 'Cargo.toml': '[package]\nname="stamp"\n', 'src/lib.rs': '' };

const inPip = (text: string) =>
  `  × Preparing metadata (pyproject.toml) did not run successfully.\n  ╰─> [20 lines of output]\n${text.replace(/^/gm, '      ')}\n      [end of output]`;

test.each([
  ['Pkg-config binary for machine 1 not found. Giving up.', / pkg-config$/],
  ['Pkg-config for machine host machine not found. Giving up.', / pkg-config$/],
  ['config.status: error: Something went wrong bootstrapping makefile fragments', / make$/],
  ["Did not find pkg-config by name 'pkg-config'", / pkg-config$/],
  ['OSError: pkg-config probably not installed: FileNotFoundError(2)', / pkg-config$/],
  ['meson.build:3:7: ERROR: Dependency "dbus-1" not found, tried pkgconfig', /dbus-1\\\.pc/],
  ["meson.build:3:7: ERROR: Dependency 'dbus-1' is required but not found.", /dbus-1\\\.pc/],
  [
    "Dependency lookup for dbus-1 with method 'pkgconfig' failed: Pkg-config for machine host machine not found.",
    / pkg-config$/,
  ],
  ["meson.build:3:7: ERROR: C header 'argtable2.h' not found", /argtable2\\\.h/],
  ["meson.build:3:7: ERROR: C++ header 'zlib.h' not found", / zlib1g-dev$/],
  ["meson.build:3:7: ERROR: C shared or static library 'argtable2' not found", /libargtable2\\\.so/],
  ["meson.build:3:7: ERROR: C++ library 'z' not found", / zlib1g-dev$/],
  ['pkgconfig.pkgconfig.PackageNotFoundError: xmlsec1 not found', /xmlsec1\\\.pc/],
  [
    'CMake Error at /usr/share/cmake/Modules/FindPackageHandleStandardArgs.cmake:230 (message):\n  Could NOT find Python (missing: Python_INCLUDE_DIRS Development\n  Development.Module)',
    / python3-dev$/,
  ],
  ['CMake Error at Find.cmake:1 (message):\n  Could NOT find PythonLibs (missing: PYTHON_LIBRARIES)', / python3-dev$/],
  ['CMake Error at Find.cmake:1 (message):\n  Could NOT find PythonInterp', / python3$/],
  [
    'CMake Error at CMakeLists.txt:5 (find_package):\n  Could not find a package configuration file provided by "fmt-header-only"\n  with any of the following names:',
    /\(fmt-header-only\|/,
  ],
  [
    'CMake Error at CMakeLists.txt:1 (cmake_minimum_required):\n  Compatibility with CMake < 3.5 has been removed from CMake.',
    /^export CMAKE_POLICY_VERSION_MINIMUM=3\.5$/,
  ],
])('%s', (text, expected) => {
  expect(remedyFor(PYTHON, 'python/project', inPip(text))).toMatch(expected);
  expect(remedyFor(C, 'c/configure', text)).toMatch(expected);
});

test('what CMake looks for and can do without is no cause', () => {
  const status = '-- Could NOT find Doxygen (missing: DOXYGEN_EXECUTABLE)\n';
  const error = 'CMake Error at CMakeLists.txt:9 (message):\n  libodd is too old\n';
  const text = `CMake Error in a check\n${status}${error}`;
  expect(remedyFor(CMAKE, 'c/configure', text)).toBe('finish');
  expect(remedyFor(CMAKE, 'c/configure', `${status}${error}  Could NOT find ODD (missing: ODD_LIBRARY)`)).toMatch(
    /ODD/,
  );
});

test('modules that a build asks the system’s Python for', () => {
  const text = 'meson.build:12:0: ERROR: python3 is missing modules: jinja2, Mako';
  expect(remedyFor(C, 'c/configure', text)).toMatch(/ python3-jinja2 python3-mako$/);
  expect(remedyFor(PYTHON, 'python/project', inPip(text))).toBe(
    'python -m pip install -q setuptools wheel jinja2 Mako',
  );
});

test.each([
  [
    'CMake Error at CMakeLists.txt:1 (cmake_minimum_required):\n  CMake 3.28 or higher is required.  You are running version 3.25.1',
    /pip install -q cmake && ln -sf \/opt\/cmake\/bin\/cmake \/opt\/cmake\/bin\/ctest \/usr\/local\/bin\/$/,
  ],
  [
    'meson.build:1:0: ERROR: Meson version is 1.0.1 but project requires >= 1.3.0',
    /pip install -q meson && ln -sf \/opt\/meson\/bin\/meson \/usr\/local\/bin\/$/,
  ],
])('%s', (text, expected) => {
  expect(remedyFor(C, 'c/configure', text)).toMatch(expected);
});

test('a crate that looks for pkg-config', () => {
  expect(remedyFor(RUST, 'rust/build', 'The pkg-config command could not be run.')).toMatch(/ pkg-config$/);
});
