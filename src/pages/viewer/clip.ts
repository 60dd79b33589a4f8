import { cutMiddle } from '../../rollout/clip';
import type { Clip } from './payload';

/** Text of at most `limit` UTF-16 units, the middle left out. `blob` holds it whole; without one the step does. */
export function clip(text: string, limit: number, blob: string | null = null): Clip {
  const { head, tail, elided } = cutMiddle(text, limit);
  return { head, tail, hidden: elided, blob };
}

/** Units that every text of a run may take, so that its page has `total` of them at most whatever its length. */
export function clipLimit(turns: number, total = 8_000_000): number {
  return Math.max(400, Math.min(12_000, Math.floor(total / Math.max(1, turns) / 2)));
}

export const EMPTY: Clip = { head: '', tail: '', hidden: 0, blob: null };
