/** Real parts start slowly: see test/support. */
module.exports = {
  testEnvironment: 'node',
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, sourceMaps: 'inline' }],
    // Packages that are ES modules only, which jest cannot load as they are.
    '/node_modules/hyparquet(-writer)?/.+\\.js$': ['@swc/jest', { jsc: { target: 'es2022' } }],
  },
  transformIgnorePatterns: ['/node_modules/(?!hyparquet)'],
  testMatch: ['<rootDir>/test/**/*.test.ts', '<rootDir>/packages/*/test/**/*.test.ts'],
  // What is imported when it is used is named by the file that is there then.
  moduleNameMapper: { '^(\\.{1,2}/(?:(?:cli|demo|environments|machine)/.*|extensions))\\.js$': '$1' },
  // Copies of the sources that tests make there would be packages of the same name.
  modulePathIgnorePatterns: ['<rootDir>/.pointsman/', '<rootDir>/dist', '<rootDir>/packages/python/dist'],
  // What tests start as processes of their own.
  globalSetup: '<rootDir>/bin/build.cjs',
  setupFiles: ['<rootDir>/test/support/seed.ts'],
  // Machines that share their processors are three times as slow at some hours; a test has a limit of its own only where it
  // takes longer or is none of `npm run test:fast`.
  testTimeout: 180_000,
  // A global of a test's own context is looked up through an interceptor each time, which loops feel.
  sandboxInjectedGlobals: ['Array', 'Error', 'JSON', 'Map', 'Math', 'Number', 'Object', 'RegExp', 'Set', 'String'],
  // Three take a quarter less time for light suites and a sixth more for heavy ones: in all it is the same.
  maxWorkers: 2,
  // A handle that somebody forgot is a nuisance at a desk, and ninety lost minutes on a build machine.
  forceExit: Boolean(process.env.CI),
};
