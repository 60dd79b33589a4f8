import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { PointsmanError } from './contract/errors';

/** The checkout, or the installed package: prompts, examples and the worker's bundle are found from here, whatever the caller's directory is. */
export const REPOSITORY = resolve(__dirname, '..');

/**
 * What lives in Pointsman's home. `blobs`: steps, observations and patches by digest. `ledger`: answered model calls.
 * `run`: pid files, logs and the development server's database. `tools`: programs that set-up fetched.
 * `problems`: built problems. `campaigns`: what became of each rollout. `datasets`, `analyses`, `reports`: what is made of them.
 */
export type Room =
  | 'blobs'
  | 'ledger'
  | 'run'
  | 'tools'
  | 'problems'
  | 'campaigns'
  | 'datasets'
  | 'analyses'
  | 'reports';

/** npm put us there, and may replace the folder with the next version. */
export const isInstalled = REPOSITORY.includes(`${sep}node_modules${sep}`);

/**
 * Where Pointsman keeps everything that it writes: POINTSMAN_HOME, or `.pointsman`, in the checkout or, of an installed
 * package, in the account's own folder.
 */
export function pointsmanHome(): string {
  return resolve(process.env.POINTSMAN_HOME || join(isInstalled ? homedir() : REPOSITORY, '.pointsman'));
}

/** As `package.json` says it. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as { version: string }).version;
}

/**
 * Makes the home one that no other account of this machine reads: prompts, code, answers and the server's database are
 * there. For the start of each of our programs: what they and their children write after it is their account's alone.
 * Throws `InvalidInput` where the home belongs to another account.
 */
export function closeHome(): void {
  process.umask(0o077);
  const home = pointsmanHome();
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const { mode, uid } = statSync(home);
  if (process.getuid && uid !== process.getuid()) {
    throw new PointsmanError(
      'InvalidInput',
      `the home ${home} belongs to another account (uid ${uid})`,
      'Set POINTSMAN_HOME to a folder of your own.',
    );
  }
  if ((mode & 0o077) !== 0) chmodSync(home, 0o700);
}

/** What others must be able to read: programs of the system that we install, sources that go into an image. */
export function readableByAll<T>(make: () => T): T {
  const before = process.umask(0o022);
  try {
    return make();
  } finally {
    process.umask(before);
  }
}

/** A folder of the home, made when it is missing. */
export function room(name: Room): string {
  const path = join(pointsmanHome(), name);
  mkdirSync(path, { recursive: true });
  return path;
}

/** What the workers of this home alone know, 32 bytes: made by the first that asks, in one step. */
export function homeSecret(): Buffer {
  const file = join(pointsmanHome(), 'secret');
  // Not by pid: hosts that share a home have the same ones.
  const own = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(own, randomBytes(32), { mode: 0o600, flag: 'wx' });
    linkSync(own, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(own, { force: true });
  }
  const secret = readFileSync(file);
  if (secret.length === 32) return secret;
  throw new PointsmanError('InvalidInput', `${file} is not a secret of 32 bytes`, 'Remove it: it is made again.');
}
