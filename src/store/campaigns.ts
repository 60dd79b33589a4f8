import { jsonLines, nearest, PointsmanError, RolloutRow } from '../contract';
import type { Documents } from './documents';

/** The rows of each campaign that has ended, by its workflow id: they outlive the server's memory of it. */
export class Campaigns {
  constructor(private readonly documents: Documents) {}

  /** Replaces what was there as a whole, so that writing again after a retry is safe. */
  async write(campaign: string, rollouts: string): Promise<void> {
    await this.documents.put(campaign, rollouts);
  }

  /** Throws `NotFound` with the name that comes closest. */
  async rows(campaign: string): Promise<RolloutRow[]> {
    const text = await this.documents.get(campaign);
    if (text === undefined) {
      const close = nearest(campaign, await this.list());
      throw new PointsmanError(
        'NotFound',
        `campaign: no rollouts of "${campaign}" are kept here${close ? `, did you mean "${close}"?` : ''}`,
        'A campaign keeps them when it ends; `pointsman campaign list` shows those there are.',
      );
    }
    return rowsOf(text, this.addressOf(campaign));
  }

  async list(): Promise<string[]> {
    return (await this.documents.names()).sort();
  }

  /** Where a person finds the rows, whether or not they are there. */
  addressOf(campaign: string): string {
    return this.documents.addressOf(campaign);
  }
}

/** Reads lines of `RolloutRow`. Throws `InvalidInput` with the line's number and the field. */
export function rowsOf(text: string, file: string): RolloutRow[] {
  return jsonLines(RolloutRow, text, file, 'Each line is one rollout, as `pointsman campaign export` writes them.');
}
