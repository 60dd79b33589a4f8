/** One line of a budget's journal. Amounts are USD. */
export type Movement =
  | { op: 'reserve'; call: string; usd: number; cap: number; id: string }
  | { op: 'settle'; call: string; usd: number }
  | { op: 'release'; call: string };

export type Verdict = 'granted' | 'spent' | 'in-flight';

/** Sums of thousands of cents come out a hair beside the cap. */
const HAIR = 1e-9;

/**
 * A budget as its journal tells it. What a movement means depends only on the movements before it, so every process that
 * has read the same lines has come to the same verdicts and nobody has to hold a lock while deciding.
 */
export class Account {
  private readonly open = new Map<string, number>();
  private readonly settled = new Set<string>();
  spentUsd = 0;
  reservedUsd = 0;

  /** Whether this reservation would be granted now: `spent` means no call that ends can make room for it. */
  verdict(call: string, usd: number, cap: number): Verdict {
    if (this.open.has(call) || this.settled.has(call)) return 'granted';
    if (this.spentUsd + this.reservedUsd + usd <= cap + HAIR) return 'granted';
    return this.spentUsd + usd > cap + HAIR ? 'spent' : 'in-flight';
  }

  apply(movement: Movement): Verdict {
    switch (movement.op) {
      case 'reserve': {
        const verdict = this.verdict(movement.call, movement.usd, movement.cap);
        if (verdict === 'granted' && !this.open.has(movement.call) && !this.settled.has(movement.call)) {
          this.open.set(movement.call, movement.usd);
          this.reservedUsd += movement.usd;
        }
        return verdict;
      }
      case 'settle':
        if (this.settled.has(movement.call)) return 'granted';
        this.free(movement.call);
        this.settled.add(movement.call);
        this.spentUsd += movement.usd;
        return 'granted';
      case 'release':
        this.free(movement.call);
        return 'granted';
      default:
        return movement satisfies never;
    }
  }

  /** Reservations that neither ended nor were given back: calls in flight, or those of a run that was terminated. */
  openCalls(): { call: string; usd: number }[] {
    return [...this.open].map(([call, usd]) => ({ call, usd }));
  }

  private free(call: string): void {
    this.reservedUsd = this.open.size <= 1 && this.open.has(call) ? 0 : this.reservedUsd - (this.open.get(call) ?? 0);
    this.open.delete(call);
  }
}
