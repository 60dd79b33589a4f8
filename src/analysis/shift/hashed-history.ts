import { hashKey } from '../../rollout/random';

/** Part of a result's name: another way of counting needs another name. */
export const HASHING = 'builtin:hashing';
export const HASHED_DIMENSIONS = 512;

/** Whether a gram counts up or down its dimension, so that those which share one cancel out on average. */
interface Place {
  readonly at: number;
  readonly sign: 1 | -1;
  count: number;
}

/**
 * The built-in embedding of a history that grows: words and pairs of words hashed into signed sums, each with the root of its
 * count, as a unit vector. It knows spelling, not meaning, and needs no model. A turn costs what it adds, not what was there.
 */
export class HashedHistory {
  private readonly sums = new Float64Array(HASHED_DIMENSIONS);
  private readonly places = new Map<string, Place>();
  /** The words that count, oldest first; those before `first` were dropped. */
  private readonly words: string[] = [];
  private first = 0;

  /** `mostWords`: only so many words count, the last ones; null for all. */
  constructor(private readonly mostWords: number | null) {}

  append(text: string): void {
    for (const word of text.toLowerCase().match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []) {
      const before = this.words.length > this.first ? this.words.at(-1) : undefined;
      this.words.push(word);
      this.change(word, 1);
      if (before !== undefined) this.change(`${before} ${word}`, 1);
      if (this.mostWords !== null && this.words.length - this.first > this.mostWords) this.dropOldest();
    }
  }

  vector(): Float32Array {
    const length = Math.sqrt(this.sums.reduce((sum, each) => sum + each * each, 0));
    // No words: some unit vector, always the same.
    if (length === 0) return Float32Array.from({ length: HASHED_DIMENSIONS }, (_, at) => (at === 0 ? 1 : 0));
    return Float32Array.from(this.sums, (each) => each / length);
  }

  private dropOldest(): void {
    const word = this.words[this.first]!;
    this.change(word, -1);
    this.change(`${word} ${this.words[this.first + 1]!}`, -1);
    this.first += 1;
  }

  private change(gram: string, by: 1 | -1): void {
    let place = this.places.get(gram);
    if (!place) {
      const { state } = hashKey(gram);
      place = { at: state % HASHED_DIMENSIONS, sign: state & 0x4000_0000 ? -1 : 1, count: 0 };
      this.places.set(gram, place);
    }
    this.sums[place.at]! += place.sign * (Math.sqrt(place.count + by) - Math.sqrt(place.count));
    place.count += by;
  }
}
