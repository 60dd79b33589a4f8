import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BuiltArchives } from '../../src/store/built-archives';
import { FileBlobs } from '../../src/store/local/blobs';
import { FileDocuments } from '../../src/store/local/documents';

const home = mkdtempSync(join(tmpdir(), 'built-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A worker's view of a home of its own: another process is another one of it. */
function workers() {
  const at = join(home, randomUUID());
  const blobs = join(at, 'blobs');
  const worker = () => new BuiltArchives(new FileBlobs(blobs), new FileDocuments(join(at, 'built'), '.json'));
  return { blobs, worker };
}

/** Counts how often it is called. */
function making(made: Buffer | null | Error) {
  const make = jest.fn(async () => {
    if (made instanceof Error) throw made;
    return made;
  });
  return make;
}

test.each([[Buffer.from('an archive')], [null]])('%j is made once, by whoever asks first', async (made) => {
  const { worker } = workers();
  const [one, other] = [worker(), worker()];
  const make = making(made);
  expect(await Promise.all([one.get('python', make), one.get('python', make)])).toEqual([made, made]);
  expect(await other.get('python', make)).toEqual(made);
  expect(make).toHaveBeenCalledTimes(1);
  await other.get('another', make);
  expect(make).toHaveBeenCalledTimes(2);
});

test('nothing is kept of what failed', async () => {
  const built = workers().worker();
  const asked = [built.get('python', making(new Error('no mirror'))), built.get('python', making(null))];
  for (const each of asked) await expect(each).rejects.toThrow('no mirror');
  expect(await built.get('python', making(Buffer.from('later')))).toEqual(Buffer.from('later'));
});

test('an archive that somebody removed is made again', async () => {
  const { blobs, worker } = workers();
  await worker().get('python', making(Buffer.from('first')));
  rmSync(blobs, { recursive: true });
  expect(await worker().get('python', making(Buffer.from('second')))).toEqual(Buffer.from('second'));
});
