import { createHash, randomBytes } from 'node:crypto';
import { constants, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { access, open, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { PointsmanError } from '../../contract/errors';
import type { Ref } from '../../contract/step';
import type { BlobStore } from '../blobs';

interface FileBlobsOptions {
  /** Wait for the disk on every write: survives a power cut, not only a killed process. Costs a few ms a blob. */
  readonly fsync?: boolean;
  /** Bytes of recently used blobs kept in memory. */
  readonly cacheBytes?: number;
}

const SMALL = 64 * 1024;

/** A file a blob, in 256 folders. */
export class FileBlobs implements BlobStore {
  private readonly cache: LRUCache<string, Buffer>;
  private ready = false;

  constructor(
    readonly root: string,
    private readonly options: FileBlobsOptions = {},
  ) {
    this.cache = new LRUCache({
      maxSize: options.cacheBytes ?? 64 * 1024 * 1024,
      sizeCalculation: (bytes) => bytes.length + 128,
    });
  }

  async put(body: Uint8Array | string): Promise<Ref> {
    const bytes = Buffer.from(body as Uint8Array);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const ref = { sha256, bytes: bytes.length };
    if (this.cache.has(sha256)) return ref;
    const path = this.addressOf(sha256);
    // A step writes several blobs of a few KB: done at once they cost less than the trip through the thread pool.
    if (bytes.length <= SMALL && !this.options.fsync) this.writeNow(path, bytes);
    else if (!(await exists(path))) await this.write(path, bytes);
    this.cache.set(sha256, bytes);
    return ref;
  }

  async get(sha256: string): Promise<Buffer> {
    const cached = this.cache.get(sha256);
    if (cached) return cached;
    const path = this.addressOf(sha256);
    const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      throw new PointsmanError(
        'NotFound',
        `blob ${sha256} is not in the store at ${this.root}`,
        'A worker of another home wrote it, or it was removed: `pointsman status` says whose worker this is; set POINTSMAN_HOME to that home. Workers that share runs must share the store.',
      );
    });
    assertWhole(sha256, bytes, path);
    this.cache.set(sha256, bytes);
    return bytes;
  }

  async has(sha256: string): Promise<boolean> {
    return this.cache.has(sha256) || (await exists(this.addressOf(sha256)));
  }

  /** At once: ten thousand small reads take a tenth of what they take through the thread pool. */
  peek(sha256: string): Buffer | undefined {
    const cached = this.cache.get(sha256);
    if (cached) return cached;
    const path = this.addressOf(sha256);
    try {
      const bytes = readFileSync(path);
      assertWhole(sha256, bytes, path);
      return bytes;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async beginningWith(digits: string): Promise<string[]> {
    if (!/^[0-9a-f]{2,64}$/.test(digits)) return [];
    const folder = digits.slice(0, 2);
    const names = await readdir(join(this.root, folder)).catch(() => []);
    return names
      .filter((name) => /^[0-9a-f]{62}$/.test(name) && name.startsWith(digits.slice(2)))
      .map((name) => folder + name);
  }

  /** Throws `InvalidInput` for what is no digest: what names a blob must never lead out of the store. */
  addressOf(sha256: string): string {
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw new PointsmanError('InvalidInput', `no blob has the name "${sha256}"`);
    return join(this.root, sha256.slice(0, 2), sha256.slice(2));
  }

  /** A rename is atomic: a reader, or a process started after a kill, sees the whole blob or none. */
  private async write(path: string, bytes: Buffer): Promise<void> {
    this.makeFolders();
    const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
    const file = await open(temporary, 'wx');
    try {
      await file.writeFile(bytes);
      if (this.options.fsync) await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  }

  private writeNow(path: string, bytes: Buffer): void {
    if (existsSync(path)) return;
    this.makeFolders();
    const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
    writeFileSync(temporary, bytes, { flag: 'wx' });
    renameSync(temporary, path);
  }

  /** All 256 at once, the first time that a store is written to: one at a time they would slow the first steps down. */
  private makeFolders(): void {
    if (this.ready) return;
    // The last one is made last: where it is, all are.
    if (!existsSync(join(this.root, hex(255)))) {
      for (let i = 0; i < 256; i++) mkdirSync(join(this.root, hex(i)), { recursive: true });
    }
    this.ready = true;
  }
}

/** What is read is what was written: a verdict that somebody altered, or that a disk spoiled, is none. */
function assertWhole(sha256: string, bytes: Buffer, path: string): void {
  if (createHash('sha256').update(bytes).digest('hex') === sha256) return;
  throw new PointsmanError(
    'DigestMismatch',
    `blob ${sha256} was altered: ${path}`,
    'Bring the file back from a backup, or remove it: what can be made again is made again.',
  );
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

async function exists(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
}
