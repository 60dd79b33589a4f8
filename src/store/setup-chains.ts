import { z } from 'zod';
import { PointsmanError } from '../contract/errors';
import { SetupOpening, SetupStep, SetupTurn } from '../contract/setup';
import type { BlobStore } from './blobs';

const Link = z.discriminatedUnion('kind', [SetupOpening, SetupStep]);

/** The chains of a set-up's roles. A head hash stands for exactly one sequence of moves and what each of them met. */
export class SetupChains {
  constructor(private readonly blobs: BlobStore) {}

  async open(opening: SetupOpening): Promise<string> {
    return (await this.blobs.put(JSON.stringify(opening))).sha256;
  }

  async append(step: SetupStep): Promise<string> {
    return (await this.blobs.put(JSON.stringify(step))).sha256;
  }

  async saveTurn(turn: SetupTurn): Promise<string> {
    return (await this.blobs.put(JSON.stringify(turn))).sha256;
  }

  async turn(sha256: string): Promise<SetupTurn> {
    return SetupTurn.parse(JSON.parse((await this.blobs.get(sha256)).toString('utf8')));
  }

  /** Steps from the first to the head, with the opening that they follow. */
  async chain(head: string): Promise<{ opening: SetupOpening; steps: SetupStep[]; hashes: string[] }> {
    const steps: SetupStep[] = [];
    const hashes: string[] = [];
    for (let at = head; ; ) {
      const link = Link.safeParse(JSON.parse((await this.blobs.get(at)).toString('utf8'))).data;
      if (!link) {
        throw new PointsmanError('NotFound', `blob ${at} is no link of a set-up`, 'Give the head of a set-up.');
      }
      if (link.kind === 'setup-opening') return { opening: link, steps: steps.reverse(), hashes: hashes.reverse() };
      steps.push(link);
      hashes.push(at);
      at = link.parent;
    }
  }

  /** What a step's command printed. */
  async output(step: SetupStep): Promise<string> {
    return (await this.blobs.get(step.observation.text.sha256)).toString('utf8');
  }
}
