import type { PolicyName, SetupLimits, SharedBudget } from '../../contract';

/** What the roles of one set-up have spent together. */
export interface Purse {
  usd: number;
  tokens: number;
  formatRetries: number;
}

export interface Overspent {
  readonly status: 'limit_cost' | 'limit_wall_clock';
  readonly why: string;
}

/** Purse and clock that all roles of one set-up share. Read before every decision: what runs then is let finish. */
export class Allowance {
  constructor(
    /** As they are now: people may raise them while a set-up runs. */
    private readonly limits: Pick<SetupLimits, 'costUsd' | 'wallClockSeconds'>,
    private readonly budget: SharedBudget | undefined,
    private readonly purse: Purse,
    /** Seconds of work, without those that a person let it wait. */
    private readonly seconds: () => number,
    /** What was spent before: a court goes on where the set-up came to. */
    private readonly before = { usd: 0, seconds: 0 },
  ) {}

  get capUsd(): number | undefined {
    return this.limits.costUsd ?? this.budget?.capUsd;
  }

  get spent(): { usd: number; seconds: number } {
    return { usd: this.before.usd + this.purse.usd, seconds: this.before.seconds + this.seconds() };
  }

  /** Why nothing more may be decided; null where there is something left. */
  get overspent(): Overspent | null {
    return this.penniless ?? this.late();
  }

  /** The same for one policy: those of ours cost nothing, so an empty purse keeps none of them from finishing. */
  overspentFor(policy: PolicyName): Overspent | null {
    return policy.startsWith('builtin:') ? this.late() : this.overspent;
  }

  /** What a call that was made in time may still cost: the audit of a run comes after its clock. */
  get penniless(): Overspent | null {
    const { capUsd } = this;
    const { usd } = this.spent;
    if (capUsd === undefined || usd < capUsd) return null;
    return { status: 'limit_cost', why: `${usd.toFixed(2)} of ${capUsd} USD are spent` };
  }

  private late(): Overspent | null {
    const { wallClockSeconds } = this.limits;
    const { seconds } = this.spent;
    if (seconds < wallClockSeconds) return null;
    return { status: 'limit_wall_clock', why: `${Math.floor(seconds)} of ${wallClockSeconds} seconds are over` };
  }
}
