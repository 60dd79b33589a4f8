import { join } from 'node:path';
import type { Config, Settings } from '../config';
import { Roots } from '../roots';
import type { BlobStore } from './blobs';
import type { Budgets } from './budgets';
import { Campaigns } from './campaigns';
import { experienceOf } from './experience';
import type { ExperienceStore } from './experience/experience';
import type { EmbeddingLedger, Ledger, ScoreLedger } from './ledger';
import { FileBlobs } from './local/blobs';
import { FileBudgets } from './local/budgets';
import { FileLedger } from './local/ledger';
import { fileEmbeddings, fileScores } from './local/paid-answers';
import { Problems } from './problems';
import { ResultFolders } from './result-folders';
import { Reviews } from './reviews';
import { SampledTokensStore } from './sampled-tokens';
import { SessionKeys } from './session-keys';
import { SetupChains } from './setup-chains';
import { Timings } from './timings';
import { Transcripts } from './transcripts';

/** All that outlives a process. The first six are interfaces; the rest is the same whatever lies below. */
export interface Stores {
  readonly blobs: BlobStore;
  readonly ledger: Ledger;
  readonly embeddings: EmbeddingLedger;
  readonly scores: ScoreLedger;
  readonly budgets: Budgets;
  readonly experience: ExperienceStore;
  readonly transcripts: Transcripts;
  readonly sampled: SampledTokensStore;
  readonly setupChains: SetupChains;
  readonly problems: Problems;
  readonly timings: Timings;
  readonly campaigns: Campaigns;
  readonly results: ResultFolders;
  readonly reviews: Reviews;
  readonly sessionKeys: SessionKeys;
}

type Place = Pick<Settings, 'config' | 'home'>;

/** Every place for blobs, by the name of what it is. A new one is a file and a line here. */
const BLOB_STORES = {
  files: ({ home, config }: Place): BlobStore => new FileBlobs(join(home, 'blobs'), fsyncOf(config)),
} as const satisfies Record<string, (place: Place) => BlobStore>;
type BlobStoreKind = keyof typeof BLOB_STORES;

/** The one that this version uses: an option comes with the second. */
const BLOBS: BlobStoreKind = 'files';

/**
 * The stores that the settings name. Nothing is written or connected to before it is used. `roots` bound the files that may
 * be named as problems; an operator's own command line reads what he can read.
 */
export function openStores(place: Place, roots: Roots = Roots.any): Stores {
  const { config, home } = place;
  const blobs = BLOB_STORES[BLOBS](place);
  return {
    blobs,
    ledger: new FileLedger(join(home, 'ledger'), fsyncOf(config)),
    embeddings: fileEmbeddings(join(home, 'embeddings')),
    scores: fileScores(join(home, 'scores')),
    budgets: new FileBudgets(join(home, 'budgets')),
    experience: experienceOf(place),
    transcripts: new Transcripts(blobs),
    sampled: new SampledTokensStore(blobs),
    setupChains: new SetupChains(blobs),
    problems: new Problems(join(home, 'problems'), blobs, roots),
    timings: new Timings(join(home, 'timings')),
    campaigns: new Campaigns(join(home, 'campaigns')),
    results: new ResultFolders(home),
    reviews: new Reviews(join(home, 'reviews')),
    sessionKeys: new SessionKeys(join(home, 'session-keys')),
  };
}

export async function closeStores({ budgets, experience }: Stores): Promise<void> {
  await budgets.close();
  await experience.close();
}

function fsyncOf({ store }: Config): { readonly fsync: boolean } {
  return { fsync: store.fsync };
}
