import { readFileSync } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import { type Opening, PointsmanError, type Step } from '../contract';
import type { FileBlobs } from '../store/blobs';

/** The part of a store of files that a chain is read with. */
export type BlobFiles = Pick<FileBlobs, 'pathOf' | 'get'>;

export interface ChainOfFiles {
  readonly opening: Opening;
  readonly steps: readonly Step[];
  readonly hashes: readonly string[];
}

const AT_ONCE = 500;

/**
 * The chain behind a head. Each link names the one before, so they cannot be read side by side; ten thousand small reads
 * done at once take a tenth of what they take through the thread pool. Links were checked when they were written.
 * Throws `NotFound`.
 */
export async function readChain(blobs: BlobFiles, head: string): Promise<ChainOfFiles> {
  const steps: Step[] = [];
  const hashes: string[] = [];
  for (let at = head; ; ) {
    const link = readLink(blobs, at);
    if (link.kind === 'opening') return { opening: link, steps: steps.reverse(), hashes: hashes.reverse() };
    steps.push(link);
    hashes.push(at);
    at = link.parent;
    if (steps.length % AT_ONCE === 0) await breathe();
  }
}

/** Bodies of observations as text, in the order of the steps. A missing one says so in its place. */
export async function readObservations(blobs: BlobFiles, steps: readonly Step[]): Promise<string[]> {
  const texts: string[] = [];
  for (const { observation } of steps) {
    texts.push(readText(blobs, observation.text.sha256) ?? '(the body of this observation is not in the store)');
    if (texts.length % AT_ONCE === 0) await breathe();
  }
  return texts;
}

/** Undefined where the store has no such blob. */
export function readText(blobs: BlobFiles, sha256: string): string | undefined {
  try {
    return readFileSync(blobs.pathOf(sha256), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function readLink(blobs: BlobFiles, sha256: string): Opening | Step {
  const text = readText(blobs, sha256);
  const link = text === undefined ? undefined : (parsed(text) as Opening | Step | undefined);
  if (link?.kind === 'opening' || link?.kind === 'step') return link;
  throw new PointsmanError(
    'NotFound',
    `blob ${sha256} is ${text === undefined ? 'not in the store' : 'no link of a transcript'}`,
    'Workers that share runs must share the blob store: check POINTSMAN_HOME.',
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
