import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Place } from '../../../src/config';
import { FileBlobs } from '../../../src/store/local/blobs';
import { Bucket } from '../../../src/store/shared/bucket';
import { S3Blobs } from '../../../src/store/shared/s3-blobs';
import { type RunningS3, s3Server } from '../../support/s3-server';
import { blobConformance } from '../blob-stores';
import { type Fault, faultyLine } from './faulty-line';

const folder = mkdtempSync(join(tmpdir(), 'pointsman-s3-blobs-'));
let server: RunningS3;
let line: Awaited<ReturnType<typeof faultyLine>>;
let place: S3Place;
const opened: S3Blobs[] = [];

beforeAll(async () => {
  server = await s3Server();
  line = await faultyLine(server.port);
  place = server.place('blobs');
}, 600_000);
afterAll(async () => {
  for (const each of opened) each.close();
  await line?.close();
  await server?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** A host that has seen nothing yet. */
function host(at: S3Place = place): { blobs: S3Blobs; near: FileBlobs } {
  const near = new FileBlobs(mkdtempSync(join(folder, 'host-')));
  const blobs = new S3Blobs(at, near);
  opened.push(blobs);
  return { blobs, near };
}
const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const throughLine = (): S3Place => ({ ...place, endpoint: line.endpoint });

describe('blobs in a bucket, each client a host of its own', () => {
  blobConformance(() => host().blobs);
});

describe('blobs in a bucket that holds other things too', () => {
  blobConformance(() => host({ ...place, prefix: 'team-a/runs/' }).blobs);
});

test('64 MB are on another host as they were, and are asked for once', async () => {
  const bytes = randomBytes(64 << 20);
  const { sha256 } = await host().blobs.put(bytes);
  const { blobs } = host(throughLine());
  const before = line.seen();
  for (let times = 0; times < 3; times++) expect((await blobs.get(sha256)).equals(bytes)).toBe(true);
  expect(line.seen() - before).toBe(1);
});

test('a blob that is here is not sent again, and one that the bucket never took is not here', async () => {
  const { blobs, near } = host(throughLine());
  const bytes = randomBytes(1000);
  line.faults.push(...Array<Fault>(20).fill('answers 500'));
  await expect(blobs.put(bytes)).rejects.toMatchObject({ code: 'Unavailable' });
  expect(await near.has(digestOf(bytes))).toBe(false);
  line.faults.length = 0;
  await blobs.put(bytes);
  const before = line.seen();
  await blobs.put(bytes);
  expect(line.seen()).toBe(before);
});

test.each<Fault>(['answers 500', 'answers 503', 'breaks before', 'breaks off the answer', 'breaks after'])(
  'a server that %s is asked again, and nothing is lost',
  async (fault) => {
    for (const size of [3_000, 20 << 20]) {
      const bytes = randomBytes(size);
      line.faults.push(fault, fault);
      const { sha256 } = await host(throughLine()).blobs.put(bytes);
      line.faults.push(fault);
      expect((await host(throughLine()).blobs.get(sha256)).equals(bytes)).toBe(true);
      line.faults.length = 0;
    }
  },
);

test('a server that is away is Unavailable, and has everything when it is back', async () => {
  const { sha256 } = await host().blobs.put('kept');
  await server.stop();
  const away = host();
  await expect(away.blobs.get(sha256)).rejects.toMatchObject({ code: 'Unavailable' });
  await server.restart();
  expect((await away.blobs.get(sha256)).toString()).toBe('kept');
});

test('what only a person can mend is final, and says how', async () => {
  const nowhere = host({ ...place, bucket: 'no-such-bucket' }).blobs;
  await expect(nowhere.put('x')).rejects.toMatchObject({
    code: 'InvalidInput',
    hint: expect.stringContaining('Create it'),
  });
  await expect(nowhere.check()).rejects.toMatchObject({ code: 'InvalidInput' });
  process.env.AWS_SECRET_ACCESS_KEY = 'another';
  try {
    const denied = { code: 'InvalidInput', hint: expect.stringContaining('AWS_ACCESS_KEY_ID') };
    await expect(host().blobs.put('y')).rejects.toMatchObject(denied);
    await expect(host().blobs.check()).rejects.toMatchObject(denied);
  } finally {
    process.env.AWS_SECRET_ACCESS_KEY = 'test-secret';
  }
});

test('a file of this host that its disk spoiled is fetched again, and an object that was altered is not believed', async () => {
  const { blobs, near } = host();
  const { sha256 } = await blobs.put('{"resolved":false}');
  const fresh = new FileBlobs(near.root);
  writeFileSync(near.addressOf(sha256), '{"resolved":true}');
  const again = new S3Blobs(place, fresh);
  opened.push(again);
  expect(again.peek(sha256)).toBeUndefined();
  expect((await again.get(sha256)).toString()).toBe('{"resolved":false}');
  expect(again.peek(sha256)?.toString()).toBe('{"resolved":false}');

  const other = digestOf(Buffer.from('another'));
  const bucket = new Bucket(place);
  await bucket.put(`${other.slice(0, 2)}/${other.slice(2)}`, Buffer.from('altered'));
  bucket.close();
  await expect(host().blobs.get(other)).rejects.toMatchObject({ code: 'DigestMismatch' });
});
