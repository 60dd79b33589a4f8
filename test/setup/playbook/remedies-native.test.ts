import { remedyFor } from './remedy-for';
import { dossierOf, failed, OK, simulate, textOf } from './simulated';

const CMAKE = { 'CMakeLists.txt': 'project(stamp)\noption(STAMP_TESTS "x")\n', 'a.cc': '' };
const MESON = {
  'meson.build': "project('a', 'c')",
  'meson_options.txt': "option('tests', type: 'boolean', value: false)",
  'a.c': '',
};
const AUTOTOOLS = { configure: '', 'configure.ac': 'AC_INIT([a],[1])', 'a.c': '' };

test('options that turn tests on are given', () => {
  const configure = (files: Readonly<Record<string, string>>) =>
    simulate(dossierOf(files), () => OK)
      .seen.map(({ move }) => textOf(move))
      .find((line) => /^(cmake -S|meson setup)/.test(line));
  expect(configure(CMAKE)).toMatch(/ -DBUILD_TESTING=ON -DSTAMP_TESTS=ON$/);
  expect(configure(MESON)).toBe('meson setup build -Dtests=true');
});

test.each([
  [CMAKE, 'c/build', '/w/a.cpp:4:10: fatal error: Eigen/Dense: No such file or directory', 'libeigen3-dev'],
  [
    CMAKE,
    'c/build',
    '/w/a.cpp:4:10: fatal error: odd/Thing: No such file or directory',
    '^/usr/include/(.+/)?odd/Thing$',
  ],
  [
    CMAKE,
    'c/build',
    '/w/a.cpp:4:10: fatal error: catch2/catch_test_macros.hpp: No such file or directory',
    'catch2/catch_test_macros',
  ],
  [AUTOTOOLS, 'c/configure', 'configure: error: libargtable2 not found', 'libargtable2\\.so'],
  [AUTOTOOLS, 'c/configure', 'configure: error: bison is required', ' bison'],
  [AUTOTOOLS, 'c/configure', 'configure: error: argtable2 library not found', 'argtable2\\.so'],
  [AUTOTOOLS, 'c/configure', 'configure: error: *** zlib.h not found; install zlib1g-dev', 'zlib1g-dev'],
  [AUTOTOOLS, 'c/configure', 'configure: error: readline development files not found', 'readline'],
  [
    AUTOTOOLS,
    'c/configure',
    "configure.ac:5: error: required file './compile' not found\nconfigure.ac:5:   'automake --add-missing' can install 'compile'",
    'autoreconf -fi && ./configure',
  ],
  [
    AUTOTOOLS,
    'c/configure',
    'configure: error: cannot find required auxiliary files: ltmain.sh compile missing install-sh',
    'autoreconf -fi && ./configure',
  ],
  [CMAKE, 'c/tests', "ninja: error: unknown target 'test'", 'verify'],
  [
    CMAKE,
    'c/toolchain',
    'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 12 (apt-get)',
    'DPkg::Lock::Timeout',
  ],
  [
    CMAKE,
    'c/toolchain',
    'E: Failed to fetch x.deb  404  Not Found\nE: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?',
    'apt-get clean && apt-get update',
  ],
  [
    CMAKE,
    'c/toolchain',
    'The following packages have unmet dependencies:\n libssl-dev : Depends: libssl3 (= 3.0.11) but 3.0.15 is to be installed\nE: Unable to correct problems, you have held broken packages.',
    'apt-get -f install',
  ],
])('%#, %s: %s', (files, goal, text, expected) => {
  expect(remedyFor(files, goal, text)).toContain(expected);
});

test('where one of its build systems cannot build it, the other is taken, whole', () => {
  const both = { 'CMakeLists.txt': 'project(stamp)', 'configure.ac': 'AC_INIT([a],[1])', 'a.c': '' };
  const broken = failed('a.c:3:1: error: expected expression\nninja: build stopped: subcommand failed.');
  const { seen, end } = simulate(dossierOf(both), (action) => (textOf(action) === 'cmake --build build' ? broken : OK));
  const lines = seen.map(({ move }) => textOf(move));
  const other = lines[lines.indexOf('cmake --build build') + 1];
  expect(other).toMatch(/^rm -rf build\/CTestTestfile\.cmake .*autoreconf -fi && \.\/configure; } && make -j2$/);
  expect(lines).toContain('make check');
  expect(end.success).toBe(true);
});

test('a Makefile that does not say what needs what is made with one job before another system is taken, which finds nothing of the first', () => {
  const both = { configure: '', 'configure.ac': 'AC_INIT([a],[1])', 'CMakeLists.txt': 'project(stamp)', 'a.c': '' };
  const broken = failed('run_tests.sh: 70: stamp_test: not found\nmake: *** [Makefile:11: test] Error 2');
  const linesWhere = (fails: readonly string[]) =>
    simulate(dossierOf(both), (action) => (fails.includes(textOf(action)) ? broken : OK))
      .seen.map(({ move }) => textOf(move))
      .filter((line) => /make/.test(line) && !line.startsWith('apt-get'));
  expect(linesWhere(['make -j2'])).toEqual(['make -j2', 'make', 'make check']);
  const [, , other] = linesWhere(['make -j2', 'make']);
  expect(other).toMatch(/^rm -rf (?=.* build\/CMakeCache\.txt )(?=.* build\/CMakeFiles )[^&]+ && { cmake -S /);
});
