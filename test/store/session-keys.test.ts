import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newKey, payloadCipher } from '../../src/payloads';
import { fileDocuments } from '../../src/store/local/rows';
import { SessionKeys } from '../../src/store/session-keys';

const folder = mkdtempSync(join(tmpdir(), 'pointsman-session-keys-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NAME = 'a'.repeat(64);
const keysWith = (secret: string) => {
  const cipher = payloadCipher({ payloads: secret ? { keysEnv: 'KEYS' } : {} }, { KEYS: secret });
  return new SessionKeys(fileDocuments(folder, 'session-keys'), () => cipher);
};
const kept = { baseUrl: 'http://127.0.0.1:1/s', key: 'secret', owner: 'trainer/r/0' };

test('a key is for this account and one address, is replaced, and goes', async () => {
  const keys = keysWith('');
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

test('where payloads are encrypted, a key is; one that was kept before that is read as it is', async () => {
  const secret = newKey(new Date('2026-11-27'));
  const told = { ...kept, key: 'a secret of a trainer' };
  const text = () => readFileSync(join(folder, 'session-keys', NAME), 'latin1');
  const holds = (said: string) => text().includes(said) || Buffer.from(text(), 'base64').includes(said);
  await keysWith('').keep(NAME, told);
  expect(holds(told.key)).toBe(true);
  expect(await keysWith(secret).read(NAME, kept.baseUrl)).toBe(told.key);
  await keysWith(secret).keep(NAME, told);
  expect([told.key, told.baseUrl, told.owner].filter(holds)).toEqual([]);
  expect(await keysWith(secret).read(NAME, kept.baseUrl)).toBe(told.key);
  await expect(keysWith('').read(NAME, kept.baseUrl)).rejects.toMatchObject({ code: 'InvalidInput' });
});
