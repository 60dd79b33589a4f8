export interface BudgetStatus {
  readonly spentUsd: number;
  readonly reservedUsd: number;
  /** Calls that were reserved and neither settled nor released. */
  readonly open: readonly { call: string; usd: number }[];
}

/** `in-flight`: calls that end may make room. `spent`: only a higher cap can. */
export type BudgetVerdict = 'granted' | 'spent' | 'in-flight';

/**
 * Named budgets that all workers share, in USD: a call is reserved at its highest possible cost before it is made and settled
 * at its real cost after. However many reserve at once, what is granted never goes past the cap. All methods are safe to
 * repeat: a call id counts once.
 */
export interface Budgets {
  /** Reserves `amountUsd` or throws `BudgetExhausted`: nothing may be called without. A retried call holds its place. */
  reserve(name: string, capUsd: number, callId: string, amountUsd: number): Promise<void>;
  /** As `reserve`, but answers. */
  tryReserve(name: string, capUsd: number, callId: string, amountUsd: number): Promise<BudgetVerdict>;
  /** The call was answered and cost `actualUsd`. Counts even where no reservation is known, and only once. */
  settle(name: string, callId: string, actualUsd: number): Promise<void>;
  /** The call was never answered and costs nothing: its reservation is given back. */
  release(name: string, callId: string): Promise<void>;
  status(name: string): Promise<BudgetStatus>;
  close(): Promise<void>;
}
