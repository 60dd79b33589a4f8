/** Real parts start slowly and are shared: see test/support. One worker, because two cores also run Docker and Temporal. */
module.exports = {
  testEnvironment: 'node',
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, sourceMaps: 'inline' }],
    // Packages that are ES modules only, which jest cannot load as they are.
    '/node_modules/hyparquet(-writer)?/.+\\.js$': ['@swc/jest', { jsc: { target: 'es2022' } }],
  },
  transformIgnorePatterns: ['/node_modules/(?!hyparquet)'],
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  setupFiles: ['<rootDir>/test/support/seed.ts'],
  testTimeout: 60_000,
  maxWorkers: 1,
  // A handle that somebody forgot is a nuisance at a desk, and ninety lost minutes on a build machine.
  forceExit: Boolean(process.env.CI),
};
