import type { Config } from '../config';
import type { ExperienceStore } from '../experience';
import type { Budget, EmbeddingLedger, Ledger } from '../model';
import type { Sandboxes } from '../sandbox/sandbox';
import type { BlobStore } from '../store/blobs';
import type { Campaigns } from '../store/campaigns';
import type { Problems } from '../store/problems';
import type { ResultFolders } from '../store/result-folders';
import type { SetupChains } from '../store/setup-chains';
import type { Timings } from '../store/timings';
import type { Transcripts } from '../store/transcripts';

/** What activities work with; made once a process in `worker.ts`. */
export interface Deps {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly sandboxes: Sandboxes;
  readonly hostName: string;
  /** Task queue that the commands of this host's sandboxes are scheduled on. */
  readonly hostQueue: string;
  readonly blobs: BlobStore;
  readonly transcripts: Transcripts;
  readonly setupChains: SetupChains;
  readonly timings: Timings;
  readonly ledger: Ledger;
  readonly embeddings: EmbeddingLedger;
  readonly budget: Budget;
  readonly problems: Problems;
  readonly campaigns: Campaigns;
  readonly results: ResultFolders;
  readonly experience: ExperienceStore;
}
