import type { Ref } from '../contract/step';

/**
 * Content-addressed bodies: the sha256 of the bytes is the name. Writing the same bytes twice is one blob, so every
 * write may be retried. A blob never changes, so whatever has been read may be kept.
 */
export interface BlobStore {
  /** Returns when the blob will outlive this process. */
  put(bytes: Uint8Array | string): Promise<Ref>;
  /** Throws `NotFound` when the blob is missing. */
  get(sha256: string): Promise<Buffer>;
  has(sha256: string): Promise<boolean>;
  /**
   * What can be had without waiting; undefined says nothing about whether the blob exists. For whoever reads thousands of
   * small blobs one after the other.
   */
  peek(sha256: string): Buffer | undefined;
  /** Names of the blobs that begin with these hex digits, of which there are at least two. */
  beginningWith(digits: string): Promise<string[]>;
  /** Where a person finds the body. */
  addressOf(sha256: string): string;
}
