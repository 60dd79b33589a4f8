import { basename, join } from 'node:path';
import type { SentPaths } from '../roots';
import type { BlobStore } from './blobs';
import { writeTree } from './trees';

/** What was sent along with inputs, in this home's cache: each under its digest, so that what is there is what was sent. */
export function sentPaths(home: string, blobs: BlobStore): SentPaths {
  const folder = join(home, 'cache', 'inputs');
  return {
    folder,
    async fetch({ sha256, path }, links) {
      const to = join(folder, links ? `${sha256}-links` : sha256, basename(path));
      await writeTree(blobs, { sha256 }, to, { links });
      return to;
    },
  };
}
