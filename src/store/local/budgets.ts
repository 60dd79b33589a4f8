import { createHash, randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { assertAmount, type BudgetStatus, type Budgets, type BudgetVerdict, refusal } from '../budgets';

/** One line of a budget's log. Amounts are USD. */
type Movement =
  | { op: 'reserve'; call: string; usd: number; cap: number; id: string }
  | { op: 'settle'; call: string; usd: number }
  | { op: 'release'; call: string };

const Usd = z.number().min(0);
const MovementLine: z.ZodType<Movement> = z.discriminatedUnion('op', [
  z.object({ op: z.literal('reserve'), call: z.string(), usd: Usd, cap: Usd, id: z.string() }),
  z.object({ op: z.literal('settle'), call: z.string(), usd: Usd }),
  z.object({ op: z.literal('release'), call: z.string() }),
]);

interface Book {
  readonly log: SharedLog;
  readonly account: Account;
}

/**
 * A file a budget, in a directory that all workers of a host share. Every movement is one appended line, and whether a
 * reservation is granted follows from the lines before it (see `Account`); so there is no lock that a killed process could
 * leave behind.
 */
export class FileBudgets implements Budgets {
  private readonly books = new Map<string, Book>();

  constructor(private readonly directory: string) {}

  async reserve(name: string, capUsd: number, callId: string, amountUsd: number): Promise<void> {
    const verdict = await this.tryReserve(name, capUsd, callId, amountUsd);
    if (verdict === 'granted') return;
    throw refusal({ name, capUsd, amountUsd, verdict }, await this.status(name));
  }

  async tryReserve(name: string, capUsd: number, callId: string, amountUsd: number): Promise<BudgetVerdict> {
    assertAmount(amountUsd, 'amountUsd');
    assertAmount(capUsd, 'capUsd');
    const book = this.book(name);
    readAll(book);
    const before = book.account.verdict(callId, amountUsd, capUsd);
    if (before !== 'granted') return before;
    const id = randomUUID();
    book.log.append({ op: 'reserve', call: callId, usd: amountUsd, cap: capUsd, id } satisfies Movement);
    return readAll(book, id) ?? 'in-flight';
  }

  async settle(name: string, callId: string, actualUsd: number): Promise<void> {
    assertAmount(actualUsd, 'actualUsd');
    this.book(name).log.append({ op: 'settle', call: callId, usd: actualUsd } satisfies Movement);
  }

  async release(name: string, callId: string): Promise<void> {
    this.book(name).log.append({ op: 'release', call: callId } satisfies Movement);
  }

  async status(name: string): Promise<BudgetStatus> {
    const book = this.book(name);
    readAll(book);
    const { spentUsd, reservedUsd } = book.account;
    return { spentUsd, reservedUsd, open: book.account.openCalls() };
  }

  async close(): Promise<void> {
    for (const { log } of this.books.values()) log.close();
    this.books.clear();
  }

  private book(name: string): Book {
    const known = this.books.get(name);
    if (known) return known;
    mkdirSync(this.directory, { recursive: true });
    const plain = /^[A-Za-z0-9_-]{1,64}$/.test(name) ? name : createHash('sha256').update(name).digest('hex');
    const book = { log: new SharedLog(path.join(this.directory, `${plain}.budget.jsonl`)), account: new Account() };
    this.books.set(name, book);
    return book;
  }
}

/** Follows the log to its end and says what became of the reservation with this id. */
function readAll({ log, account }: Book, id?: string): BudgetVerdict | undefined {
  let verdict: BudgetVerdict | undefined;
  for (const line of log.unread()) {
    const movement = MovementLine.safeParse(line).data;
    if (!movement) continue;
    const outcome = account.apply(movement);
    if (movement.op === 'reserve' && movement.id === id) verdict = outcome;
  }
  return verdict;
}

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
  verdict(call: string, usd: number, cap: number): BudgetVerdict {
    if (this.open.has(call) || this.settled.has(call)) return 'granted';
    if (this.spentUsd + this.reservedUsd + usd <= cap + HAIR) return 'granted';
    return this.spentUsd + usd > cap + HAIR ? 'spent' : 'in-flight';
  }

  apply(movement: Movement): BudgetVerdict {
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

const CHUNK_BYTES = 256 * 1024;

/**
 * A file of JSON lines that many processes of one host append to and read as it grows. A line is one `write` with
 * O_APPEND, which the kernel puts behind everything written before, so all readers see the same lines in the same order.
 * Every line starts with a line break too: half a line left by a killed writer spoils itself and not its successor.
 * Local file systems only: NFS does not append atomically.
 */
class SharedLog {
  private readonly fd: number;
  private position = 0;

  constructor(file: string) {
    this.fd = openSync(file, 'a+', 0o600);
  }

  append(entry: unknown): void {
    const line = Buffer.from(`\n${JSON.stringify(entry)}\n`);
    const written = writeSync(this.fd, line);
    if (written !== line.length) throw new Error(`the disk took ${written} of ${line.length} bytes of the journal`);
  }

  /** The entries since the last call; lines that are not JSON objects are passed over. */
  *unread(): Generator<unknown> {
    const buffer = Buffer.alloc(CHUNK_BYTES);
    let carried: Buffer = Buffer.alloc(0);
    for (let at = this.position; ; ) {
      const bytes = readSync(this.fd, buffer, 0, buffer.length, at);
      if (bytes === 0) return;
      at += bytes;
      const text = Buffer.concat([carried, buffer.subarray(0, bytes)]);
      const end = text.lastIndexOf(0x0a) + 1;
      carried = text.subarray(end);
      this.position = at - carried.length;
      for (const line of text.subarray(0, end).toString('utf8').split('\n')) {
        const entry = objectIn(line);
        if (entry !== undefined) yield entry;
      }
    }
  }

  close(): void {
    closeSync(this.fd);
  }
}

function objectIn(line: string): object | undefined {
  if (line === '') return undefined;
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'object' && entry !== null ? entry : undefined;
  } catch {
    return undefined;
  }
}
