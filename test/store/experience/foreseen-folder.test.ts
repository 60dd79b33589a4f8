import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderOfOurs } from '../../../src/store/experience/embedded';

const scratch = mkdtempSync(join(tmpdir(), 'pointsman-foreseen-'));
afterAll(() => rmSync(scratch, { recursive: true }));

it('is made for this account alone, and taken again', () => {
  const path = join(scratch, 'ours');
  expect(folderOfOurs(path)).toBe(path);
  expect((statSync(path).mode & 0o777).toString(8)).toBe('700');
  expect(folderOfOurs(path)).toBe(path);
});

const PLANTED: Readonly<Record<string, (path: string) => void>> = {
  'others may write to'(path) {
    mkdirSync(path);
    chmodSync(path, 0o777);
  },
  'is a link': (path) => symlinkSync(join(scratch, 'ours'), path),
  'is of another account'(path) {
    mkdirSync(path, 0o700);
    chownSync(path, 65_534, 65_534);
  },
};
/** Only root gives a folder to another account. */
const planted = Object.keys(PLANTED).filter((what) => process.getuid?.() === 0 || !what.includes('another'));

it.each(planted)('a folder is not taken that %s', (what) => {
  const path = join(scratch, what);
  PLANTED[what]!(path);
  expect(() => folderOfOurs(path)).toThrow(`${path} is not a folder of this account alone`);
});
