import type { ForkNode, RunEvents, RunList, RunPage } from '../page/viewer/payload';

/** Where a viewer's data comes from. Everything is read when it is asked for, so that what runs is seen as it is. */
export interface ViewerSource {
  list(): Promise<RunList>;
  /** Throws `NotFound`. */
  run(id: string): Promise<RunPage>;
  /** Runs of the same problem that share steps with it; null where there are none. */
  forks(id: string): Promise<ForkNode | null>;
  events(id: string): Promise<RunEvents>;
  /** Turns in whose whole text the words occur. */
  search(id: string, words: string): Promise<number[]>;
  /** Throws `NotFound`. */
  blob(sha256: string): Promise<Buffer>;
}
