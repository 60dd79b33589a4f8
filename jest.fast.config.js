const { existsSync, readdirSync, readFileSync, statSync } = require('node:fs');
const { dirname, join } = require('node:path');
const whole = require('./jest.config.js');

/**
 * The tests of the minute in which one writes: all but those that need an engine, a server, a browser or another process,
 * or more time than any test has. Which those are is read from what each test and its support import, so that a new test
 * is in unless it says otherwise, and no list goes stale.
 */
const OUTSIDE = [
  /^(dockerode|playwright-core|node:child_process|node:worker_threads)$/,
  /^@temporalio\/(testing|client|worker|proto)$/,
  /^src\/machine\//,
  /^src\/sandbox\/(index|docker\/(sandboxes|services|throwaway))\.ts$/,
];
/** A test's own limit of time: its third argument, or `minutes(…)` of test/support/counts.ts. */
const OWN_LIMIT = /\bminutes\(|^\s*\}, (\d{2,3}_000|[A-Z_]+)\);$|jest\.setTimeout/m;
const IMPORT = /^(?:import|export)\s(?!type\s)[^;]*?from\s+'([^']+)'/gm;

const testsUnder = (folder) =>
  readdirSync(join(__dirname, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name));

function fileOf(from, named) {
  if (!named.startsWith('.')) return named;
  const path = join(dirname(from), named);
  const isFile = (name) => existsSync(join(__dirname, name)) && statSync(join(__dirname, name)).isFile();
  return [`${path}.ts`, join(path, 'index.ts')].find(isFile) ?? path;
}

/** What a test imports, and what the support and measurements that it imports do; not what `src` needs in turn. */
function reachedBy(test) {
  const reached = new Set([test]);
  for (const file of reached) {
    if (!/^(test|bench|packages\/[^/]+\/test)\/.*\.ts$/.test(file)) continue;
    for (const [, named] of readFileSync(join(__dirname, file), 'utf8').matchAll(IMPORT))
      reached.add(fileOf(file, named));
  }
  return [...reached];
}

const isFast = (test) =>
  !OWN_LIMIT.test(readFileSync(join(__dirname, test), 'utf8')) &&
  !reachedBy(test).some((name) => OUTSIDE.some((outside) => outside.test(name)));

module.exports = {
  ...whole,
  testMatch: [
    'test',
    ...readdirSync(join(__dirname, 'packages'))
      .map((name) => join('packages', name, 'test'))
      .filter((folder) => existsSync(join(__dirname, folder))),
  ]
    .flatMap(testsUnder)
    .filter(isFast)
    .map((test) => `<rootDir>/${test}`),
};
