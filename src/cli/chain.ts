import { type Opening, PointsmanError } from '../contract';
import type { ShownStep } from '../pages/shown-run';
import type { BlobStore } from '../store/blobs';
import type { Cli } from './context';

/** The steps behind a head with their bodies, and what they took in that run. Throws `NotFound`. */
export async function loadSteps(
  cli: Cli,
  head: string,
  run?: string,
): Promise<{ opening: Opening; steps: ShownStep[] }> {
  const { transcripts } = cli;
  const [{ opening, steps, hashes }, timings] = await Promise.all([
    transcripts.chain(head),
    run === undefined ? new Map() : cli.timings.of(run),
  ]);
  const seen = await Promise.all(steps.map((step) => transcripts.see(step)));
  return {
    opening,
    steps: seen.map((step, at) => {
      const timing = timings.get(step.turn.turn);
      return { ...step, hash: hashes[at]!, durationMs: timing?.durationMs, redone: timing?.redone };
    }),
  };
}

const HASH = /^(?:sha256[:-]?)?([0-9a-f]{8,64})$/;

/**
 * The blob that a hash, whole or its first 8 digits or more, names in the store; undefined where nothing does, because a
 * workflow's id may look like that too.
 */
export async function findHead(blobs: BlobStore, word: string): Promise<string | undefined> {
  const start = HASH.exec(word)?.[1];
  if (!start) return undefined;
  const found = await blobs.beginningWith(start);
  if (found.length > 1) {
    throw new PointsmanError('InvalidInput', `${word}: ${found.length} blobs begin like that`, 'Give more digits.');
  }
  return found[0];
}
