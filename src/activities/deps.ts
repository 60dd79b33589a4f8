import type Docker from 'dockerode';
import type { Config } from '../config';
import type { Budget, Ledger } from '../model';
import type { SandboxHost } from '../sandbox/host';
import type { BlobStore } from '../store/blobs';
import type { Problems } from '../store/problems';
import type { Timings } from '../store/timings';
import type { Transcripts } from '../store/transcripts';

/** What activities work with; made once a process in `worker.ts`. */
export interface Deps {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly docker: Docker;
  readonly host: SandboxHost;
  readonly hostName: string;
  /** Task queue that the commands of this host's sandboxes are scheduled on. */
  readonly hostQueue: string;
  readonly blobs: BlobStore;
  readonly transcripts: Transcripts;
  readonly timings: Timings;
  readonly ledger: Ledger;
  readonly budget: Budget;
  readonly problems: Problems;
}
