import type { EmbeddingLedger, Ledger, PaidEmbedding } from '../../src/store/ledger';
import { answerOf } from './ledger-answer';

const KEY = { run: 'run-1', turn: 3, attempt: 0 };

/** What every implementation of `Ledger` has to do. `open` gives another client of the same ledger each time. */
export function ledgerConformance(open: () => Ledger): void {
  test('an answer is found again, through another client too, for the same question only', async () => {
    expect(await open().answered(KEY, 'h')).toBeUndefined();
    await open().record(KEY, 'h', answerOf('hello'));
    expect(await open().answered(KEY, 'h')).toEqual(answerOf('hello'));
    expect(await open().answered(KEY, 'other question')).toBeUndefined();
    expect(await open().answered({ ...KEY, attempt: 1 }, 'h')).toBeUndefined();
  });

  test('the first answer to a question stands, a new question replaces it', async () => {
    const clients = [open(), open()];
    const all = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((n) => clients[n % 2]!.record(KEY, 'h', answerOf(`answer ${n}`))),
    );
    expect(new Set(all.map((answer) => answer.reply.content)).size).toBe(1);
    expect(await open().answered(KEY, 'h')).toEqual(all[0]);
    await open().record(KEY, 'h2', answerOf('new'));
    expect((await open().answered(KEY, 'h2'))?.reply.content).toBe('new');
  });
}

const REQUEST = 'ab'.repeat(32);
const paid = (paidBy: string, first: number): PaidEmbedding => ({
  paidBy,
  vectors: new Float32Array([first, 0.5, -1, 3e-8]),
  dimensions: 2,
  tokens: 7,
  costUsd: 0.001,
});

/** The same for `EmbeddingLedger`. */
export function embeddingLedgerConformance(open: () => EmbeddingLedger): void {
  test('vectors are found again as they were, and the first writer wins', async () => {
    expect(await open().found(REQUEST)).toBeUndefined();
    const standing = await Promise.all([1, 2, 3].map((n) => open().record(REQUEST, paid(`run-${n}`, n))));
    expect(new Set(standing.map(({ paidBy }) => paidBy)).size).toBe(1);
    expect(await open().found(REQUEST)).toEqual(standing[0]);
    expect(await open().record(REQUEST, paid('late', 9))).toEqual(standing[0]);
    expect(await open().found('cd'.repeat(32))).toBeUndefined();
  });
}
