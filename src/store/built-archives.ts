import { z } from 'zod';
import { isPointsmanError } from '../contract/errors';
import type { BlobStore } from './blobs';
import type { Documents } from './documents';

const Kept = z.strictObject({
  /** Digest of the archive; null where there is nothing to build. */
  archive: z.string().nullable(),
});

/** What was built once from sources that are the same everywhere, by a name that says from what. */
export class BuiltArchives {
  private readonly underWay = new Map<string, Promise<Buffer | null>>();

  constructor(
    private readonly blobs: BlobStore,
    private readonly documents: Documents,
  ) {}

  /**
   * The archive of that name, made and kept where there is none, once for all of this process that ask meanwhile. Null where
   * `make` gave none. Rejects as `make` does; nothing is kept then.
   */
  get(name: string, make: () => Promise<Buffer | null>): Promise<Buffer | null> {
    const asked = this.underWay.get(name);
    if (asked) return asked;
    const given = this.keptOrMade(name, make).finally(() => this.underWay.delete(name));
    this.underWay.set(name, given);
    return given;
  }

  private async keptOrMade(name: string, make: () => Promise<Buffer | null>): Promise<Buffer | null> {
    const kept = await this.kept(name);
    if (kept !== undefined) return kept;
    const made = await make();
    const archive = made && (await this.blobs.put(made)).sha256;
    await this.documents.put(name, JSON.stringify({ archive } satisfies z.infer<typeof Kept>));
    return made;
  }

  /** Undefined where there is none, or none any more: it can be made again. */
  private async kept(name: string): Promise<Buffer | null | undefined> {
    const text = await this.documents.get(name);
    if (text === undefined) return undefined;
    const { archive } = Kept.parse(JSON.parse(text));
    if (archive === null) return null;
    return this.blobs.get(archive).catch((error: unknown) => {
      if (isPointsmanError(error) && error.code === 'NotFound') return undefined;
      throw error;
    });
  }
}
