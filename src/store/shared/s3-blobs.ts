import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { S3Place } from '../../config';
import { isPointsmanError, PointsmanError } from '../../contract/errors';
import type { Ref } from '../../contract/step';
import type { BlobStore } from '../blobs';
import type { FileBlobs } from '../local/blobs';
import type { Bucket } from './bucket';

/**
 * An object a blob, in a bucket that all hosts share. `near` are files of this host that hold what the bucket has, of which
 * any may be removed at any time: a blob is there once the bucket has taken it.
 */
export class S3Blobs implements BlobStore {
  private opened: Bucket | undefined;

  constructor(
    private readonly place: S3Place,
    private readonly near: FileBlobs,
  ) {}

  async put(body: Uint8Array | string): Promise<Ref> {
    const bytes = Buffer.from(body as Uint8Array);
    const sha256 = digestOf(bytes);
    if (!(await this.near.has(sha256))) {
      await this.bucket.put(nameOf(sha256), bytes);
      await this.keepNear(bytes);
    }
    return { sha256, bytes: bytes.length };
  }

  async get(sha256: string): Promise<Buffer> {
    const here = await this.nearBy(sha256);
    if (here) return here;
    const bytes = await this.bucket.get(nameOf(sha256));
    if (!bytes) {
      throw new PointsmanError(
        'NotFound',
        `blob ${sha256} is not in the store at ${this.addressOf(sha256)}`,
        'It was removed, or written to another store: all hosts that share runs name the same store.shared in pointsman.yaml.',
      );
    }
    if (digestOf(bytes) !== sha256) {
      throw new PointsmanError(
        'DigestMismatch',
        `blob ${sha256} was altered: ${this.addressOf(sha256)}`,
        'Bring the object back from a version or backup, or remove it: what can be made again is made again.',
      );
    }
    await this.keepNear(bytes);
    return bytes;
  }

  async has(sha256: string): Promise<boolean> {
    return (await this.near.has(sha256)) || this.bucket.has(nameOf(sha256));
  }

  peek(sha256: string): Buffer | undefined {
    try {
      return this.near.peek(sha256);
    } catch (error) {
      // A file that was spoiled says nothing about the blob: `get` fetches it again.
      if (isPointsmanError(error) && error.code === 'DigestMismatch') return undefined;
      throw error;
    }
  }

  async beginningWith(digits: string): Promise<string[]> {
    if (!/^[0-9a-f]{2,64}$/.test(digits)) return [];
    const names = await this.bucket.list(nameOf(digits));
    return names.map((name) => name.replace('/', '')).filter((name) => DIGEST.test(name));
  }

  addressOf(sha256: string): string {
    if (!DIGEST.test(sha256)) throw new PointsmanError('InvalidInput', `no blob has the name "${sha256}"`);
    const { bucket, prefix } = this.place;
    return `s3://${bucket}/${prefix}${nameOf(sha256)}`;
  }

  /** Whether the bucket can be used. Throws as `Bucket` does. */
  async check(): Promise<void> {
    await this.bucket.check();
  }

  close(): void {
    this.opened?.close();
    this.opened = undefined;
  }

  /** The client is loaded when it is used: commands that only ask the server need not wait for it. */
  private get bucket(): Bucket {
    // That it will want a newer Node.js some day is for whoever updates it, not for whoever runs it.
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
    this.opened ??= new (require('./bucket') as typeof import('./bucket')).Bucket(this.place);
    return this.opened;
  }

  /** What this host has of it. A file that its disk spoiled is removed: the bucket has the blob. */
  private async nearBy(sha256: string): Promise<Buffer | undefined> {
    try {
      return await this.near.get(sha256);
    } catch (error) {
      const code = isPointsmanError(error) ? error.code : undefined;
      if (code === 'DigestMismatch') await rm(this.near.addressOf(sha256), { force: true });
      if (code === 'DigestMismatch' || code === 'NotFound') return undefined;
      throw error;
    }
  }

  /** A disk that is full is no reason to lose what the bucket has. */
  private async keepNear(bytes: Buffer): Promise<void> {
    await this.near.put(bytes).catch(() => {});
  }
}

const DIGEST = /^[0-9a-f]{64}$/;

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Of a blob, or of what begins with these digits: in folders, for servers that keep files. */
function nameOf(digits: string): string {
  return `${digits.slice(0, 2)}/${digits.slice(2)}`;
}
