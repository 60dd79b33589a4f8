import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ADDITIONS } from './extending/additions';

const ROOT = resolve(__dirname, '..');
const at = (path: string) => join(ROOT, path);
const markdown = (folder: string) =>
  readdirSync(at(folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));

const PAGES = ['README.md', 'CONTRIBUTING.md', ...markdown('docs'), ...markdown('docs/adr')];

const FOLDERS = 'src|test|packages|bench|bin|examples|prompts|deploy|docs';
/** A path of this repository, by the folder that it begins with. Placeholders such as `.pointsman/…` do not begin so. */
const PATH = new RegExp(`(?<![\\w./-])(?:${FOLDERS})/[\\w@./{},-]+`, 'g');

/** Files that `docs/extending.md` has its readers write. */
const TO_WRITE = new Set(ADDITIONS.flatMap(({ files }) => Object.values(files)));

/** `a/{b,c}.ts` as two paths, each without the full stop or comma behind it. */
function pathsIn(text: string): string[] {
  return [...text.matchAll(PATH)].flatMap(([found]) => {
    const braces = /^(.*)\{(.*)\}(.*)$/.exec(found);
    const paths = braces ? braces[2]!.split(',').map((each) => `${braces[1]}${each}${braces[3]}`) : [found];
    // `src/cli/NOUN.ts` is a pattern, not a path.
    return paths
      .filter((path) => !/\b[A-Z]{4,}\b/.test(path) || /(README|ARCHITECTURE|CHANGELOG|CONTRIBUTING)/.test(path))
      .map((path) => path.replace(/[.,/]+$/, ''));
  });
}

/** A file or folder; a room (`src/config`) or the tests that `npx jest test/chaos/away` runs, without their ending. */
function isThere(path: string): boolean {
  if (existsSync(at(path))) return true;
  const folder = at(dirname(path));
  return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(`${basename(path)}.`));
}

test.each(PAGES)('every path of this repository that %s names is there', (page) => {
  const known = (path: string) => isThere(path) || (page === 'docs/extending.md' && TO_WRITE.has(path));
  expect(pathsIn(readFileSync(at(page), 'utf8')).filter((path) => !known(path))).toEqual([]);
});

test('what CONTRIBUTING.md says to look for in a file is in it', () => {
  const rows = readFileSync(at('CONTRIBUTING.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| Where'));
  const places = rows.flatMap((row) => [...row.matchAll(/`(src\/[^`]+)` \(([^)]*)\)/g)]);
  const named = places.flatMap(([, file = '', said = '']) =>
    [...said.matchAll(/`(\w+)`/g)].map(([, name = '']) => ({ file, name })),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ file, name }) => !readFileSync(at(file), 'utf8').includes(name))).toEqual([]);
});
