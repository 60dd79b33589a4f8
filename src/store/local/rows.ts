import { join } from 'node:path';
import type { Settings } from '../../config';
import type { Documents } from '../documents';
import type { DocumentRoom, Rows } from '../rows';
import { FileBudgets } from './budgets';
import { FileDocuments } from './documents';
import { FileLedger } from './ledger';
import { fileEmbeddings, fileScores } from './paid-answers';
import { FileTimings } from './timings';

/** Folder in the home, and what stands behind a name there. */
const DOCUMENTS: Readonly<Record<DocumentRoom, readonly [string, string]>> = {
  campaigns: ['campaigns', '/rollouts.jsonl'],
  reviews: ['reviews', '.json'],
  'session-keys': ['session-keys', ''],
  controls: ['problems/.controls', '.json'],
  built: ['built', '.json'],
};

/** Files of the home. */
export function fileRows({ home, config }: Pick<Settings, 'home' | 'config'>): Rows {
  return {
    ledger: new FileLedger(join(home, 'ledger'), { fsync: config.store.fsync }),
    embeddings: fileEmbeddings(join(home, 'embeddings')),
    scores: fileScores(join(home, 'scores')),
    budgets: new FileBudgets(join(home, 'budgets')),
    timings: new FileTimings(join(home, 'timings')),
    documents: (room) => fileDocuments(home, room),
  };
}

export function fileDocuments(home: string, room: DocumentRoom): Documents {
  const [folder, end] = DOCUMENTS[room];
  return new FileDocuments(join(home, folder), end);
}
