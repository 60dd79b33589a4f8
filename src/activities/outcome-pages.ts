import type { z } from 'zod';
import { jsonLines, type Ref } from '../contract';
import type { BlobStore } from '../store/blobs';

/** Many outcomes become one blob, so that a workflow carries a hash a page and not one an outcome. Order is kept. */
export async function shelve(blobs: BlobStore, outcomes: readonly string[]): Promise<Ref> {
  const lines = await Promise.all(outcomes.map(async (hash) => (await blobs.get(hash)).toString('utf8')));
  return blobs.put(lines.map((line) => `${line}\n`).join(''));
}

/** All outcomes of all pages. Throws `InvalidInput` for one that is not of the schema. */
export async function outcomesIn<T>(blobs: BlobStore, schema: z.ZodType<T>, pages: readonly Ref[]): Promise<T[]> {
  const texts = await Promise.all(pages.map(async ({ sha256 }) => (await blobs.get(sha256)).toString('utf8')));
  return texts.flatMap((text, at) => jsonLines<T>(schema, text, `page ${pages[at]!.sha256.slice(0, 12)}`));
}
