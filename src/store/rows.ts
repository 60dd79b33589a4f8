import type { Budgets } from './budgets';
import type { Documents } from './documents';
import type { EmbeddingLedger, Ledger, ScoreLedger } from './ledger';
import type { Timings } from './timings';

/** What is kept as texts under names. */
export type DocumentRoom = 'campaigns' | 'reviews' | 'session-keys' | 'controls' | 'built';

/** What is no blob: files of the home, or rows of a database that hosts share. */
export interface Rows {
  readonly ledger: Ledger;
  readonly embeddings: EmbeddingLedger;
  readonly scores: ScoreLedger;
  readonly budgets: Budgets;
  readonly timings: Timings;
  documents(room: DocumentRoom): Documents;
}
