import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ResultFolders } from '../../src/store/result-folders';

const home = mkdtempSync(join(tmpdir(), 'pointsman-results-'));
const folders = new ResultFolders(home);
afterAll(() => rmSync(home, { recursive: true, force: true }));

const write = (text: string) => async (folder: string) => {
  mkdirSync(join(folder, 'csv'));
  writeFileSync(join(folder, 'csv', 'a.csv'), text);
};

test('a folder appears whole, with the digests of its files, and is replaced whole', async () => {
  const { folder, files } = await folders.replace('reports', 'one/two', write('1\n'));
  expect(files).toEqual([
    {
      path: join('csv', 'a.csv'),
      sha256: '4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865',
      bytes: 2,
    },
  ]);
  await folders.replace('reports', 'one/two', write('2\n'));
  expect(readFileSync(join(folder, 'csv', 'a.csv'), 'utf8')).toBe('2\n');
  expect(readdirSync(join(home, 'reports'))).toEqual(['one%2Ftwo']);
});

test('what fails leaves the old folder as it was, and nothing else', async () => {
  await folders.replace('reports', 'kept', write('old'));
  const failing = folders.replace('reports', 'kept', async (folder) => {
    writeFileSync(join(folder, 'half'), '');
    throw new Error('no space left');
  });
  await expect(failing).rejects.toThrow('no space left');
  expect(readFileSync(join(folders.pathOf('reports', 'kept'), 'csv', 'a.csv'), 'utf8')).toBe('old');
  expect(readdirSync(join(home, 'reports')).filter((name) => name.startsWith('kept'))).toEqual(['kept']);
});
