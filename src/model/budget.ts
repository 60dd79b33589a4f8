import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { PointsmanError } from '../contract';
import { Account, type Movement, type Verdict } from './account';
import { Journal } from './journal';

const Usd = z.number().min(0);
const MovementLine: z.ZodType<Movement> = z.discriminatedUnion('op', [
  z.object({ op: z.literal('reserve'), call: z.string(), usd: Usd, cap: Usd, id: z.string() }),
  z.object({ op: z.literal('settle'), call: z.string(), usd: Usd }),
  z.object({ op: z.literal('release'), call: z.string() }),
]);

export interface BudgetStatus {
  readonly spentUsd: number;
  readonly reservedUsd: number;
  /** Calls that were reserved and neither settled nor released. */
  readonly open: readonly { call: string; usd: number }[];
}

interface Book {
  readonly journal: Journal;
  readonly account: Account;
}

/**
 * Named budgets in a directory that all workers of a host share: a call is reserved at its highest possible cost before
 * it is made and settled at its real cost after. Every movement is one appended line, and whether a reservation is
 * granted follows from the lines before it (see `Account`); so there is no lock that a killed process could leave behind.
 * All methods are safe to repeat: a call id counts once.
 */
export class Budget {
  private readonly books = new Map<string, Book>();

  constructor(private readonly directory: string) {}

  /** Reserves `amountUsd` or throws `BudgetExhausted`: nothing may be called without. A retried call holds its place. */
  reserve(name: string, capUsd: number, callId: string, amountUsd: number): void {
    const verdict = this.tryReserve(name, capUsd, callId, amountUsd);
    if (verdict === 'granted') return;
    const { spentUsd, reservedUsd } = this.status(name);
    throw new PointsmanError(
      'BudgetExhausted',
      `budget "${name}": ${dollars(spentUsd)} spent and ${dollars(reservedUsd)} in flight of ${dollars(capUsd)}; ` +
        `the next call may cost ${dollars(amountUsd)}`,
      verdict === 'spent'
        ? 'Raise the cap to go on.'
        : 'Calls in flight may still give money back: wait, or raise the cap.',
    );
  }

  /** As `reserve`, but answers: `in-flight` means that calls which end may make room, `spent` that only a higher cap can. */
  tryReserve(name: string, capUsd: number, callId: string, amountUsd: number): Verdict {
    amount(amountUsd, 'amountUsd');
    amount(capUsd, 'capUsd');
    const book = this.book(name);
    readAll(book);
    const before = book.account.verdict(callId, amountUsd, capUsd);
    if (before !== 'granted') return before;
    const id = randomUUID();
    book.journal.append({ op: 'reserve', call: callId, usd: amountUsd, cap: capUsd, id } satisfies Movement);
    return readAll(book, id) ?? 'in-flight';
  }

  /** The call was answered and cost `actualUsd`. Counts even where no reservation is known, and only once. */
  settle(name: string, callId: string, actualUsd: number): void {
    amount(actualUsd, 'actualUsd');
    this.book(name).journal.append({ op: 'settle', call: callId, usd: actualUsd } satisfies Movement);
  }

  /** The call was never answered and costs nothing: its reservation is given back. */
  release(name: string, callId: string): void {
    this.book(name).journal.append({ op: 'release', call: callId } satisfies Movement);
  }

  status(name: string): BudgetStatus {
    const book = this.book(name);
    readAll(book);
    const { spentUsd, reservedUsd } = book.account;
    return { spentUsd, reservedUsd, open: book.account.openCalls() };
  }

  close(): void {
    for (const { journal } of this.books.values()) journal.close();
    this.books.clear();
  }

  private book(name: string): Book {
    const known = this.books.get(name);
    if (known) return known;
    mkdirSync(this.directory, { recursive: true });
    const plain = /^[A-Za-z0-9_-]{1,64}$/.test(name) ? name : createHash('sha256').update(name).digest('hex');
    const book = { journal: new Journal(path.join(this.directory, `${plain}.budget.jsonl`)), account: new Account() };
    this.books.set(name, book);
    return book;
  }
}

/** Follows the journal to its end and says what became of the reservation with this id. */
function readAll({ journal, account }: Book, id?: string): Verdict | undefined {
  let verdict: Verdict | undefined;
  for (const line of journal.unread()) {
    const movement = MovementLine.safeParse(line).data;
    if (!movement) continue;
    const outcome = account.apply(movement);
    if (movement.op === 'reserve' && movement.id === id) verdict = outcome;
  }
  return verdict;
}

function amount(usd: number, field: string): void {
  if (Number.isFinite(usd) && usd >= 0) return;
  throw new PointsmanError('InvalidInput', `${field}: expected USD of 0 or more (found ${usd})`, '');
}

function dollars(usd: number): string {
  return `$${usd.toFixed(4)}`;
}
