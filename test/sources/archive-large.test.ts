import { gunzipSync, gzipSync } from 'node:zlib';
import { readArchive } from '../../src/sources/archive';
import { tar } from './tar';

test('an archive that unpacks to more than a gibibyte is refused before it is all in memory', async () => {
  const size = 16 << 20;
  const one = gunzipSync(await tar([{ name: 'p/a' }], Buffer.alloc(size)));
  // A gzip file may have many members: here the same file again and again.
  const member = gzipSync(one.subarray(0, 512 + size), { level: 1 });
  await expect(readArchive(Buffer.concat(Array.from({ length: 72 }, () => member)), 'bomb')).rejects.toMatchObject({
    code: 'InvalidInput',
    message: 'source bomb: it unpacks to more than 1 GiB',
  });
}, 120_000);
