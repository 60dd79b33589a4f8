import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { entryName, nameOfEntry } from '../../src/store/entry-name';
import { codePoint } from '../support/code-points';

const folder = mkdtempSync(join(tmpdir(), 'pointsman-entry-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ids = fc.string({ unit: codePoint, minLength: 1, maxLength: 300 }).filter((name) => !name.includes('~'));
const troublesome = fc.constantFrom(
  '.',
  '..',
  '...',
  '../..',
  '/',
  '//',
  '.drafts',
  'a/../..',
  '\\',
  '%2E%2E',
  '%',
  '\0',
  ' ',
);

test('a name is one entry of its folder, and reads back', () => {
  fc.assert(
    fc.property(fc.oneof(ids, troublesome), (name) => {
      const path = join(folder, entryName(name));
      expect(dirname(path)).toBe(folder);
      expect(['', '.', '..']).not.toContain(basename(path));
      expect(entryName(name).length).toBeLessThanOrEqual(200);
      if (entryName(name).includes('~')) expect(() => nameOfEntry(entryName(name))).not.toThrow();
      else expect(nameOfEntry(entryName(name))).toBe(name);
    }),
  );
});

test('two names are two entries, long ones too', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ minLength: 1, maxLength: 400 }), { minLength: 2, maxLength: 5 }),
      (names) => {
        expect(new Set(names.map(entryName)).size).toBe(names.length);
      },
    ),
  );
  const long = 'ä'.repeat(500);
  expect(entryName(`${long}1`)).not.toBe(entryName(`${long}2`));
});

test('the file system takes them', () => {
  for (const name of ['..', 'ä'.repeat(500), 'campaign/x y/0001', 'x'.repeat(1000)])
    mkdirSync(join(folder, entryName(name)));
  expect(readdirSync(folder).length).toBe(4);
});

test('no name is refused', () => {
  expect(() => entryName('')).toThrow('a name is empty');
});
