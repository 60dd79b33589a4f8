import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { PointsmanError } from '../contract/errors';
import { Opening, Rejected, type SeenStep, Step, type Transcript, Turn } from '../contract/step';
import type { BlobStore } from './blobs';

const Link = z.discriminatedUnion('kind', [Opening, Step]);

/**
 * The chain of steps behind a head hash. Links are JSON blobs; each names its parent, so a head stands for exactly one
 * transcript and forking is keeping an older head.
 */
export class Transcripts {
  /** Links as read: immutable under their hash, and every turn walks the whole chain. */
  private readonly links = new LRUCache<string, Opening | Step>({ max: 5_000 });

  constructor(private readonly blobs: BlobStore) {}

  async open(opening: Opening): Promise<string> {
    return (await this.blobs.put(encode(opening))).sha256;
  }

  async append(step: Step): Promise<string> {
    return (await this.blobs.put(encode(step))).sha256;
  }

  async saveTurn(turn: Turn): Promise<string> {
    return (await this.blobs.put(encode(turn))).sha256;
  }

  async turn(sha256: string): Promise<Turn> {
    return this.read(sha256, Turn);
  }

  async rejected(sha256: string): Promise<Rejected> {
    return this.read(sha256, Rejected);
  }

  /** Steps from the first to the head, with the opening that they follow. */
  async chain(head: string): Promise<{ opening: Opening; steps: Step[]; hashes: string[] }> {
    const steps: Step[] = [];
    const hashes: string[] = [];
    let at = head;
    for (;;) {
      const link = await this.link(at);
      if (link.kind === 'opening') {
        return { opening: link, steps: steps.reverse(), hashes: hashes.reverse() };
      }
      steps.push(link);
      hashes.push(at);
      at = link.parent;
    }
  }

  async load(head: string): Promise<Transcript> {
    const { opening, steps } = await this.chain(head);
    return { opening, steps: await Promise.all(steps.map((step) => this.see(step))) };
  }

  async see(step: Step): Promise<SeenStep> {
    const { observation, turn, edit } = step;
    return {
      turn,
      edit,
      observation: (await this.blobs.get(observation.text.sha256)).toString('utf8'),
      exitCode: observation.exitCode,
      timedOutAfter: observation.timedOutAfter,
      elidedBytes: observation.elidedBytes,
    };
  }

  private async link(sha256: string): Promise<Opening | Step> {
    const known = this.links.get(sha256);
    if (known) return known;
    const link = Link.safeParse(JSON.parse((await this.blobs.get(sha256)).toString('utf8'))).data;
    if (!link) {
      throw new PointsmanError('NotFound', `blob ${sha256} is no link of a transcript`, 'Give the head of a rollout.');
    }
    this.links.set(sha256, link);
    return link;
  }

  private async read<T>(sha256: string, schema: z.ZodType<T>): Promise<T> {
    return schema.parse(JSON.parse((await this.blobs.get(sha256)).toString('utf8')));
  }
}

function encode(link: Opening | Step | Turn): string {
  return JSON.stringify(link);
}
