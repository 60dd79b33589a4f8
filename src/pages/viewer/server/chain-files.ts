import { setImmediate as breathe } from 'node:timers/promises';
import { isPointsmanError, type Opening, PointsmanError, type Step } from '../../../contract';
import type { BlobStore } from '../../../store/blobs';

export interface ChainOfFiles {
  readonly opening: Opening;
  readonly steps: readonly Step[];
  readonly hashes: readonly string[];
}

const AT_ONCE = 500;

/**
 * The chain behind a head. Each link names the one before, so they cannot be read side by side; what can be had without
 * waiting is. Links were checked when they were written.
 * Throws `NotFound`.
 */
export async function readChain(blobs: BlobStore, head: string): Promise<ChainOfFiles> {
  const steps: Step[] = [];
  const hashes: string[] = [];
  for (let at = head; ; ) {
    const link = await readLink(blobs, at);
    if (link.kind === 'opening') return { opening: link, steps: steps.reverse(), hashes: hashes.reverse() };
    steps.push(link);
    hashes.push(at);
    at = link.parent;
    if (steps.length % AT_ONCE === 0) await breathe();
  }
}

/** Bodies of observations as text, in the order of the steps. A missing one says so in its place. */
export async function readObservations(blobs: BlobStore, steps: readonly Step[]): Promise<string[]> {
  const texts: string[] = [];
  for (const { observation } of steps) {
    texts.push(
      (await readText(blobs, observation.text.sha256)) ?? '(the body of this observation is not in the store)',
    );
    if (texts.length % AT_ONCE === 0) await breathe();
  }
  return texts;
}

/** Undefined where the store has no such blob. */
export async function readText(blobs: BlobStore, sha256: string): Promise<string | undefined> {
  try {
    return (blobs.peek(sha256) ?? (await blobs.get(sha256))).toString('utf8');
  } catch (error) {
    if (isPointsmanError(error) && error.code === 'NotFound') return undefined;
    throw error;
  }
}

async function readLink(blobs: BlobStore, sha256: string): Promise<Opening | Step> {
  const text = await readText(blobs, sha256);
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
