import { createHash, randomBytes } from 'node:crypto';
import type { BlobStore } from '../../src/store/blobs';

/** What every implementation of `BlobStore` has to do. `open` gives another client of the same store each time. */
export function blobConformance(open: () => BlobStore): void {
  const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

  test('a body is found under its digest, through another client too, whatever its size', async () => {
    for (const size of [0, 1, 65_536, 65_537, 3 << 20]) {
      const bytes = randomBytes(size);
      const ref = await open().put(bytes);
      expect(ref).toEqual({ sha256: digestOf(bytes), bytes: size });
      expect((await open().get(ref.sha256)).equals(bytes)).toBe(true);
      expect(await open().has(ref.sha256)).toBe(true);
    }
    const text = await open().put('größer');
    expect((await open().get(text.sha256)).toString('utf8')).toBe('größer');
  });

  test('the same bytes are one blob, also when many write them at once', async () => {
    const bytes = randomBytes(100_000);
    const clients = [open(), open()];
    const refs = await Promise.all(Array.from({ length: 12 }, (_, at) => clients[at % 2]!.put(bytes)));
    expect(new Set(refs.map(({ sha256 }) => sha256))).toEqual(new Set([digestOf(bytes)]));
    expect(await open().beginningWith(digestOf(bytes).slice(0, 12))).toEqual([digestOf(bytes)]);
  });

  test('what is missing is NotFound, and is not there in any other way', async () => {
    const missing = digestOf(randomBytes(8));
    await expect(open().get(missing)).rejects.toMatchObject({ code: 'NotFound' });
    expect(await open().has(missing)).toBe(false);
    expect(open().peek(missing)).toBeUndefined();
    expect(await open().beginningWith(missing.slice(0, 12))).toEqual([]);
  });

  test.each(['', '..', '../../etc/passwd', 'A'.repeat(64), `${'0'.repeat(62)}/x`])(
    'what is no digest names nothing: %j',
    async (name) => {
      await expect(open().get(name)).rejects.toMatchObject({ code: 'InvalidInput' });
      expect(() => open().addressOf(name)).toThrow('no blob has the name');
      expect(await open().beginningWith(name)).toEqual([]);
    },
  );

  test('a peek gives the body or nothing, and the body after it was read', async () => {
    const bytes = randomBytes(1000);
    const { sha256 } = await open().put(bytes);
    const client = open();
    expect(client.peek(sha256) ?? bytes).toEqual(bytes);
    await client.get(sha256);
    expect(client.peek(sha256)).toEqual(bytes);
    expect(client.addressOf(sha256)).toContain(sha256.slice(2));
  });
}
