import { createHash } from 'node:crypto';
import { isPointsmanError, Opening, Step } from '../contract';
import type { BlobStore } from '../store/blobs';

/** One step of a chain, with the hash that names it. */
export interface AuditedStep {
  readonly hash: string;
  readonly step: Step;
  /** Digest that the turn has as a blob of its own: so `callModel` wrote it before the step was made. */
  readonly turnBlob: string;
}

export interface AuditedChain {
  readonly opening: Opening | null;
  /** From the first to the last; where a link is missing, those after it. */
  readonly steps: readonly AuditedStep[];
  /** Observations whose bytes are what their names say. */
  readonly observations: number;
  readonly problems: readonly string[];
}

/**
 * Walks a chain from its head by the bytes themselves: every link and every observation is hashed again and compared with
 * the name that it is kept under.
 */
export async function auditChain(blobs: BlobStore, head: string): Promise<AuditedChain> {
  const steps: AuditedStep[] = [];
  const problems: string[] = [];
  let observations = 0;
  const ended = (opening: Opening | null): AuditedChain => ({
    opening,
    steps: steps.reverse(),
    observations,
    problems,
  });
  for (let hash = head; ; ) {
    const bytes = await bytesOf(blobs, hash, problems, 'link');
    const value = bytes && jsonIn(bytes);
    const link = Step.safeParse(value).data ?? Opening.safeParse(value).data;
    if (!link) {
      if (bytes) problems.push(`link ${short(hash)}: expected a step or an opening, found something else`);
      return ended(null);
    }
    if (link.kind === 'opening') return ended(link);
    const { text } = link.observation;
    const seen = await bytesOf(blobs, text.sha256, problems, `observation of turn ${link.turn.turn}`);
    observations += seen ? 1 : 0;
    if (seen && seen.length !== text.bytes)
      problems.push(`observation of turn ${link.turn.turn}: expected ${text.bytes} bytes, found ${seen.length}`);
    const turn = JSON.stringify((value as Step).turn);
    steps.push({ hash, step: link, turnBlob: createHash('sha256').update(turn).digest('hex') });
    hash = link.parent;
  }
}

/** A blob's bytes; what is missing or holds other bytes than its name says is a problem. */
export async function bytesOf(
  blobs: BlobStore,
  hash: string,
  problems: string[],
  what: string,
): Promise<Buffer | undefined> {
  try {
    const bytes = await blobs.get(hash);
    const found = createHash('sha256').update(bytes).digest('hex');
    if (found === hash) return bytes;
    problems.push(`${what}: expected bytes with sha256 ${short(hash)}, found ${short(found)}`);
  } catch (error) {
    if (!isPointsmanError(error) || error.code !== 'NotFound') throw error;
    problems.push(`${what}: ${short(hash)} is not in the store`);
  }
  return undefined;
}

export function short(hash: string): string {
  return hash.slice(0, 12);
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
