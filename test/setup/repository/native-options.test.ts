import { surveyOf } from '../../../src/setup/repository/markers';
import { testOptionsOf } from '../../../src/setup/repository/native-options';

const options = (files: Readonly<Record<string, string>>) => testOptionsOf(surveyOf(Object.entries(files)));

test.each([
  ['option(FOO_BUILD_TESTS "Build the tests" OFF)', ['FOO_BUILD_TESTS']],
  ['option(BUILD_TESTS "without a value")', ['BUILD_TESTS']],
  ['option(FOO_TESTS "x" ${MAIN})', ['FOO_TESTS']],
  ['option ( ENABLE_TESTING  "needs (odd) words" off )', ['ENABLE_TESTING']],
  ['option(FOO_TESTS "x" ON)', []],
  ['cmake_dependent_option(FOO_TESTING "t" OFF "X" OFF)', ['FOO_TESTING']],
  ['cmake_dependent_option(FOO_TESTING "t"\n  ON "NOT SUB" OFF)', []],
  ['cmake_dependent_option(FOO_TESTING "t"\n  ${MAIN} "NOT SUB" OFF)', ['FOO_TESTING']],
  ['set(FOO_ENABLE_TESTS OFF CACHE BOOL "tests")', ['FOO_ENABLE_TESTS']],
  ['set(FOO_ENABLE_TESTS FALSE CACHE BOOL "tests" FORCE)', []],
  ['set(FOO_TESTS OFF)', []],
  ['# option(FOO_TESTS "x" OFF)', []],
  ['option(TEST_WITH_VALGRIND "x" OFF)\noption(BUILD_PERF_TESTS "x" OFF)\noption(DISABLE_TESTS "x" OFF)', []],
])('CMake: %s', (text, expected) => {
  expect(options({ 'CMakeLists.txt': text }).cmake).toEqual(expected);
});

test.each([
  ["option('tests', type: 'boolean', value: false)", ['tests=true']],
  ["option('build-tests', type : 'feature', value : 'disabled', description : 'x (y)')", ['build-tests=enabled']],
  ["option('tests',\n  value: false,\n  type: 'boolean')", ['tests=true']],
  ["option('tests', type: 'boolean', value: true)\noption('docs', type: 'boolean', value: false)", []],
  ["option('test_data', type: 'string', value: '')", []],
  ["option('installed_tests', type: 'boolean', value: false)", []],
  ["# option('tests', type: 'boolean', value: false)", []],
])('Meson: %s', (text, expected) => {
  expect(options({ 'meson.build': '', 'meson_options.txt': text }).meson).toEqual(expected);
  expect(options({ 'meson.build': '', 'meson.options': text }).meson).toEqual(expected);
});

test.each([
  [
    [
      { name: 'base', hidden: true },
      { name: 'test', cacheVariables: { WITH_TESTS: 'ON', BUILD_DOCS: 'ON' } },
    ],
    ['WITH_TESTS'],
  ],
  [[{ name: 'dev', cacheVariables: { X_TESTING: { type: 'BOOL', value: true } } }], ['X_TESTING']],
  [[{ name: 'release', cacheVariables: { X_TESTS: 'OFF' } }], []],
])('presets of CMake that turn tests on: %#', (configurePresets, expected) => {
  const files = { 'CMakeLists.txt': '', 'CMakePresets.json': JSON.stringify({ version: 3, configurePresets }) };
  expect(options(files).cmake).toEqual(expected);
});
