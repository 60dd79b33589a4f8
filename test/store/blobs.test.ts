import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileBlobs } from '../../src/store/local/blobs';
import { blobConformance } from './blob-stores';

const root = mkdtempSync(join(tmpdir(), 'pointsman-blobs-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('blobs as files', () => {
  blobConformance(() => new FileBlobs(root));
});

describe('blobs as files that are waited for', () => {
  blobConformance(() => new FileBlobs(root, { fsync: true }));
});

test('a blob that was altered is not believed', async () => {
  const store = new FileBlobs(root);
  const { sha256 } = await store.put('{"resolved":false}');
  chmodSync(store.addressOf(sha256), 0o600);
  writeFileSync(store.addressOf(sha256), '{"resolved":true}');
  const another = new FileBlobs(root);
  await expect(another.get(sha256)).rejects.toMatchObject({ code: 'DigestMismatch' });
  expect(() => another.peek(sha256)).toThrow('was altered');
  rmSync(store.addressOf(sha256));
});

test('no draft is left beside the blobs', async () => {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('/'));
  expect(names.every((name) => /^[0-9a-f]{2}\/[0-9a-f]{62}$/.test(name))).toBe(true);
});
