import { createHash } from 'node:crypto';
import { PointsmanError } from '../../contract';
import type { BlobStore } from '../blobs';

/** Blobs in memory: for a trial that leaves nothing. */
export class MemoryBlobs implements BlobStore {
  private readonly bodies = new Map<string, Buffer>();

  async put(bytes: Uint8Array | string) {
    const body = Buffer.from(bytes);
    const sha256 = createHash('sha256').update(body).digest('hex');
    this.bodies.set(sha256, body);
    return { sha256, bytes: body.length };
  }

  async get(sha256: string): Promise<Buffer> {
    const body = this.bodies.get(sha256);
    if (!body) throw new PointsmanError('NotFound', `no blob ${sha256}`, 'It was never put here.');
    return body;
  }

  async has(sha256: string): Promise<boolean> {
    return this.bodies.has(sha256);
  }

  peek(sha256: string): Buffer | undefined {
    return this.bodies.get(sha256);
  }

  async beginningWith(digits: string): Promise<string[]> {
    return [...this.bodies.keys()].filter((sha256) => sha256.startsWith(digits));
  }

  addressOf(sha256: string): string {
    return `memory:${sha256}`;
  }
}
