import { parseInput, Review } from '../contract';
import type { Documents } from './documents';

/** What people and models said of verdicts, by rollout. The last word counts. */
export class Reviews {
  constructor(private readonly documents: Documents) {}

  /** Rollouts that somebody said something of: seldom many, so that nobody asks for each of a hundred thousand. */
  async reviewed(): Promise<Set<string>> {
    return new Set(await this.documents.names());
  }

  async of(rollout: string): Promise<Review | undefined> {
    const text = await this.documents.get(rollout);
    return text === undefined ? undefined : parseInput(Review, JSON.parse(text), this.documents.addressOf(rollout));
  }

  async keep(rollout: string, review: Review): Promise<void> {
    await this.documents.put(rollout, JSON.stringify(review));
  }
}
