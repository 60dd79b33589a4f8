/** What anybody can know of a repository without running it: paths, and the texts of the files that say how it is built. */
export interface Survey {
  /** Relative to the work directory, sorted; of a large repository the first 20,000. */
  readonly paths: readonly string[];
  /** Texts of marker files (see `isMarker`) by path, each at most 200,000 characters. */
  readonly texts: Readonly<Record<string, string>>;
  /** What `cksum` says of the files of code as they came, by path: who changes one later is found out. Older surveys have none. */
  readonly digests?: Readonly<Record<string, string>>;
}

export const MOST_PATHS = 20_000;
export const MOST_CHARS = 200_000;
