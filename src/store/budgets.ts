import { PointsmanError } from '../contract';

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

/** What was asked for, and refused. */
interface Refused {
  readonly name: string;
  readonly capUsd: number;
  readonly amountUsd: number;
  readonly verdict: Exclude<BudgetVerdict, 'granted'>;
}

/** The refusal in words. */
export function refusal({ name, capUsd, amountUsd, verdict }: Refused, status: BudgetStatus): PointsmanError {
  return new PointsmanError(
    'BudgetExhausted',
    `budget "${name}": ${dollars(status.spentUsd)} spent and ${dollars(status.reservedUsd)} in flight of ${dollars(capUsd)}; ` +
      `the next call may cost ${dollars(amountUsd)}`,
    verdict === 'spent'
      ? 'Raise the cap to go on.'
      : 'Calls in flight may still give money back: wait, or raise the cap.',
  );
}

/** Throws `InvalidInput` for what is no amount of USD. */
export function assertAmount(usd: number, field: string): void {
  if (Number.isFinite(usd) && usd >= 0) return;
  throw new PointsmanError('InvalidInput', `${field}: expected USD of 0 or more (found ${usd})`, '');
}

function dollars(usd: number): string {
  return `$${usd.toFixed(4)}`;
}
