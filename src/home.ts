import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The checkout: prompts, examples and the worker's bundle are found from here, whatever the caller's directory is. */
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

/** Where Pointsman keeps everything that it writes: POINTSMAN_HOME, or `.pointsman` in the checkout. */
export function pointsmanHome(): string {
  return resolve(process.env.POINTSMAN_HOME || join(REPOSITORY, '.pointsman'));
}

/** A folder of the home, made when it is missing. */
export function room(name: Room): string {
  const path = join(pointsmanHome(), name);
  mkdirSync(path, { recursive: true });
  return path;
}
