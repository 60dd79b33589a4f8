import type { Config } from './config';
import type { Sandboxes } from './sandbox/sandbox';
import type { Stores } from './store';

/** What activities work with; made once a process in `worker.ts`. */
export interface Deps extends Stores {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly sandboxes: Sandboxes;
  readonly hostName: string;
  /** Task queue that the commands of this host's sandboxes are scheduled on. */
  readonly hostQueue: string;
}
