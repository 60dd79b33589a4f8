import type { Config } from './config';
import type { ImageRoad, Sandboxes } from './sandbox/sandbox';
import type { Stores } from './store';

/** What activities work with; made once a process in `worker.ts`. */
export interface Deps extends Stores {
  readonly home: string;
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly sandboxes: Sandboxes;
  /** How images that are made here come to other hosts. */
  readonly imageRoad: ImageRoad;
  readonly hostName: string;
  /** Whether no other host has sandboxes. */
  readonly onlyHost: boolean;
  /** Has this worker take no new sandbox, and end when it has none. */
  readonly drain: () => void;
  /** Task queue that the commands of this host's sandboxes are scheduled on. */
  readonly hostQueue: string;
}
