import { createHash, randomUUID } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { pointsmanHome, REPOSITORY } from '../home';
import { roomsWithin } from '../rooms';

/** What `bin/build.cjs` made of the sources, as a package has it. */
const CODE = join(REPOSITORY, 'dist');
const WORKFLOWS = join(CODE, 'workflows', 'index.js');
const SHARING = join(CODE, 'workflows', 'shared-contract.js');
const FAILURES = join(CODE, 'payloads', 'failures.js');
/** Where npm put Temporal's packages, for this checkout or around this package. */
const PACKAGES = resolve(dirname(require.resolve('@temporalio/workflow/package.json')), '..', '..');
/** Folders of what workflow code may hold. */
const foldersOf = (room: string) =>
  [...roomsWithin(room)]
    .filter((each) => each !== 'extend')
    .map((each) => (each === 'packages/python' ? dirname(require.resolve('@pointsman/python')) : join(CODE, each)));

/**
 * The workflow code as one file, built once for its content: every worker and test that starts on the same sources takes
 * the same file, and building (3 s) happens only after an edit. It lies beside the code that it is made of, for every home
 * that starts workers on it; in the home where extensions are part of it, or where an account may not write beside the code.
 * `extensions` are files that `useExtensions` gave; with `encodesFailures` the messages of failures become payloads, so that
 * they can be encrypted.
 */
export async function workflowBundle(
  extensions: readonly string[] = [],
  encodesFailures = false,
): Promise<{ codePath: string }> {
  const folder = (extensions.length === 0 ? besideCode() : undefined) ?? inHome();
  const name = digest(extensions, encodesFailures);
  const codePath = join(folder, `${name}.js`);
  if (existsSync(codePath)) return { codePath };
  const quiet = () => {};
  const { code } = await bundleWorkflowCode({
    workflowsPath: extensions.length === 0 ? SHARING : entryWith(extensions, join(folder, `${name}-entry.cjs`)),
    ...(encodesFailures ? { failureConverterPath: FAILURES } : {}),
    // The entry lies in the home, from which no package is found.
    webpackConfigHook: (config) => ({
      ...config,
      resolve: { ...config.resolve, modules: ['node_modules', PACKAGES] },
    }),
    logger: { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: console.error, error: console.error },
  });
  try {
    keep(codePath, code);
    return { codePath };
  } catch {
    // Built anew meanwhile: `bin/build.cjs` puts another folder in the place of this one.
    const own = join(inHome(), `${name}.js`);
    keep(own, code);
    return { codePath: own };
  }
}

/** The folder for what all homes share, or undefined where this account may not write. */
function besideCode(): string | undefined {
  const folder = join(CODE, 'bundles');
  try {
    // Not recursive: the code's own folder is never made here.
    if (!existsSync(folder)) mkdirSync(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return folder;
  } catch {
    return undefined;
  }
}

function inHome(): string {
  const folder = join(pointsmanHome(), 'bundles');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Written beside, then put in place: two workers that start at once give each other the same file. */
function keep(codePath: string, code: string): void {
  const temporary = `${codePath}.${randomUUID()}`;
  writeFileSync(temporary, code);
  renameSync(temporary, codePath);
}

/** Workflow code that knows the extensions before it reads an input. */
function entryWith(extensions: readonly string[], file: string): string {
  const extend = JSON.stringify(join(CODE, 'extend.js'));
  const lines = extensions.map((path) => `require(${extend}).addExtensions(require(${JSON.stringify(path)}).default);`);
  writeFileSync(file, [...lines, `module.exports = require(${JSON.stringify(WORKFLOWS)});`, ''].join('\n'));
  return file;
}

function digest(extensions: readonly string[], encodesFailures: boolean): string {
  const hash = createHash('sha256').update(readFileSync(join(REPOSITORY, 'package.json')));
  for (const path of extensions) hash.update(path).update(readFileSync(path));
  if (extensions.length > 0) hash.update(readFileSync(join(CODE, 'extend.js')));
  if (encodesFailures) hash.update(readFileSync(FAILURES));
  const folders = new Set([...foldersOf('workflows'), ...(extensions.length > 0 ? foldersOf('extend') : [])]);
  for (const folder of folders) {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
    for (const name of files.sort()) hash.update(name).update(readFileSync(join(folder, name)));
  }
  return hash.digest('hex').slice(0, 24);
}
