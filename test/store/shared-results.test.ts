import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileBlobs } from '../../src/store/local/blobs';
import { FileDocuments } from '../../src/store/local/documents';
import { ResultFolders } from '../../src/store/result-folders';

const folder = mkdtempSync(join(tmpdir(), 'pointsman-shared-results-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const blobs = new FileBlobs(join(folder, 'blobs'));
const pointers = new FileDocuments(join(folder, 'pointers'), '.json');

/** A host with a home of its own, and the store that it shares with the others. */
let hosts = 0;
const host = () => new ResultFolders(join(folder, `home-${hosts++}`), { blobs, pointers });
const write = (text: string) => async (to: string) => {
  mkdirSync(join(to, 'csv'));
  writeFileSync(join(to, 'csv', 'a.csv'), text);
};

test('what one host wrote another finds, reads in part, and puts elsewhere; the newest counts', async () => {
  const name = 'campaign/ä 1';
  expect(await host().find('reports', name)).toBeUndefined();
  const { folder: place } = await host().replace('reports', name, write('1'));
  expect(place).toBe('shared:reports/campaign%2F%C3%A4%201');
  const reader = host();
  const first = await reader.here(place);
  expect(readFileSync(join(first, 'csv/a.csv'), 'utf8')).toBe('1');
  await host().replace('reports', name, write('2'));
  expect(readFileSync(join(await reader.here(place), 'csv/a.csv'), 'utf8')).toBe('2');
  expect((await host().read('reports', name, 'csv/a.csv'))?.toString()).toBe('2');
  expect(await host().read('reports', name, 'csv/b.csv')).toBeUndefined();
  expect([await host().names('reports'), await host().names('datasets')]).toEqual([[name], []]);
  const to = join(folder, 'elsewhere');
  await reader.copy('reports', name, to);
  expect(readFileSync(join(to, 'csv/a.csv'), 'utf8')).toBe('2');
  await expect(reader.copy('reports', name, to)).rejects.toMatchObject({ code: 'InvalidInput' });
  await expect(reader.copy('reports', 'none', `${to}-2`)).rejects.toMatchObject({ code: 'NotFound' });
  await expect(reader.here('shared:reports/none')).rejects.toMatchObject({ code: 'NotFound' });
  expect(await reader.here('/a/path')).toBe('/a/path');
});

test('a draft that several hosts wrote is published by another, and is gone afterwards', async () => {
  const [a, b, publisher] = [host(), host(), host()];
  for (const [each, path] of [
    [a, 'train.trl.jsonl'],
    [b, 'train.harbor/'],
  ] as const) {
    const at = join(each.draftOf('datasets', 'run'), path);
    mkdirSync(path.endsWith('/') ? at : join(at, '..'), { recursive: true });
    writeFileSync(path.endsWith('/') ? join(at, 'task.toml') : at, path);
    await each.keepDraft('datasets', 'run', [path]);
    // An attempt that is made again keeps the same again.
    await each.keepDraft('datasets', 'run', [path]);
  }
  let used = '';
  await publisher.withDraft('datasets', 'run', ['train.trl.jsonl', 'train.harbor/'], async (draft) => {
    used = draft;
    expect(readFileSync(join(draft, 'train.trl.jsonl'), 'utf8')).toBe('train.trl.jsonl');
    expect(readFileSync(join(draft, 'train.harbor', 'task.toml'), 'utf8')).toBe('train.harbor/');
  });
  expect(existsSync(used)).toBe(false);
  expect(await pointers.names()).toEqual(expect.arrayContaining([expect.stringContaining('.drafts/datasets/run/')]));
  for (const each of [a, publisher]) await each.dropDraft('datasets', 'run');
  expect((await pointers.names()).filter((name) => name.startsWith('.drafts/'))).toEqual([]);
  expect(await publisher.names('datasets')).toEqual([]);
});
