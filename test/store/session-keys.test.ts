import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileDocuments } from '../../src/store/local/rows';
import { SessionKeys } from '../../src/store/session-keys';

const folder = mkdtempSync(join(tmpdir(), 'pointsman-session-keys-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NAME = 'a'.repeat(64);
const kept = { baseUrl: 'http://127.0.0.1:1/s', key: 'secret', owner: 'trainer/r/0' };

test('a key is for this account and one address, is replaced, and goes', async () => {
  const keys = new SessionKeys(fileDocuments(folder, 'session-keys'));
  expect(await keys.all()).toEqual([]);
  await keys.keep(NAME, kept);
  expect(statSync(join(folder, 'session-keys', NAME)).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'session-keys')).mode & 0o777).toBe(0o700);
  await keys.keep(NAME, { ...kept, key: 'newer' });
  expect(await keys.read(NAME, kept.baseUrl)).toBe('newer');
  await expect(keys.read(NAME, 'http://127.0.0.1:1/s/')).rejects.toMatchObject({ code: 'InvalidInput' });
  expect(await keys.all()).toEqual([{ name: NAME, owner: 'trainer/r/0' }]);
  await keys.remove(NAME);
  await keys.remove(NAME);
  expect(readdirSync(join(folder, 'session-keys'))).toEqual([]);
  await expect(keys.read(NAME, kept.baseUrl)).rejects.toThrow('not kept here any more');
  await expect(keys.read('../../secret', kept.baseUrl)).rejects.toThrow('no name of a key');
});
