import { join } from 'node:path';
import type { Config, Settings } from '../config';
import { payloadCipher } from '../payloads';
import { Roots } from '../roots';
import type { BlobStore } from './blobs';
import type { Budgets } from './budgets';
import { BuiltArchives } from './built-archives';
import { Campaigns } from './campaigns';
import { experienceOf } from './experience';
import type { ExperienceStore } from './experience/experience';
import type { EmbeddingLedger, Ledger, ScoreLedger } from './ledger';
import { FileBlobs } from './local/blobs';
import { fileRows } from './local/rows';
import { Problems } from './problems';
import { ResultFolders } from './result-folders';
import { Reviews } from './reviews';
import type { Rows } from './rows';
import { SampledTokensStore } from './sampled-tokens';
import { sentPaths } from './sent-paths';
import { SessionKeys } from './session-keys';
import { SetupChains } from './setup-chains';
import { openShared, type SharedStore, s3Blobs } from './shared';
import type { Timings } from './timings';
import { Transcripts } from './transcripts';

/** All that outlives a process. What is no interface is the same whatever lies below. */
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
  readonly built: BuiltArchives;
  /** The files of this host that inputs may name. */
  readonly roots: Roots;
  /** Where hosts share what they keep; absent where a home is all there is. */
  readonly shared?: SharedStore;
}

type Place = Pick<Settings, 'config' | 'home'>;

/** Every place for blobs of one home, by the name of what it is. A new one is a file and a line here. */
const BLOB_STORES = {
  files: ({ home, config }: Place): BlobStore => new FileBlobs(join(home, 'blobs'), fsyncOf(config)),
} as const satisfies Record<string, (place: Place) => BlobStore>;
type BlobStoreKind = keyof typeof BLOB_STORES;

/** The one that this version uses: an option comes with the second. */
const BLOBS: BlobStoreKind = 'files';

/** What lies below: files of the home, or a bucket and a database. */
function below(place: Place): Pick<Stores, 'blobs' | 'shared'> & { readonly rows: Rows } {
  const { shared } = place.config.store;
  if (!shared) return { blobs: BLOB_STORES[BLOBS](place), rows: fileRows(place) };
  const blobs = s3Blobs(place.home, shared.s3);
  return { blobs, ...openShared(shared.database, blobs) };
}

/**
 * The stores that the settings name. Nothing is written or connected to before it is used. What inputs of workflows may name is
 * bounded; an operator's own command line reads what he can read.
 */
export function openStores(place: Place, readsFor: 'operator' | 'workflows' = 'operator'): Stores {
  const { home, config } = place;
  const { blobs, rows, shared } = below(place);
  const sent = shared && sentPaths(home, blobs);
  const roots = new Roots(home, readsFor === 'operator' ? ['/'] : config.sources.roots, sent);
  const { documents, ...kept } = rows;
  return {
    ...kept,
    blobs,
    experience: experienceOf(place),
    transcripts: new Transcripts(blobs),
    sampled: new SampledTokensStore(blobs),
    setupChains: new SetupChains(blobs),
    problems: new Problems(join(home, 'problems'), blobs, documents('controls'), roots),
    campaigns: new Campaigns(documents('campaigns')),
    results: new ResultFolders(home, shared && { blobs, pointers: shared.results }),
    reviews: new Reviews(documents('reviews')),
    sessionKeys: new SessionKeys(documents('session-keys'), () => payloadCipher(config)),
    built: new BuiltArchives(blobs, documents('built')),
    roots,
    shared,
  };
}

export async function closeStores({ budgets, experience, shared }: Stores): Promise<void> {
  await budgets.close();
  await experience.close();
  await shared?.close();
}

function fsyncOf({ store }: Config): { readonly fsync: boolean } {
  return { fsync: store.fsync };
}
