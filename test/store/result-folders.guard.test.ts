// A worker that was killed while it wrote a data set left its draft beside the finished one, gigabytes that nobody looked at
// and nothing removed. Sweeping all drafts would have been worse: another worker may be writing to one right now.
// So the next one who writes takes away the drafts that nobody has touched for long.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ResultFolders } from '../../src/store/result-folders';

const home = mkdtempSync(join(tmpdir(), 'pointsman-drafts-'));
const folders = new ResultFolders(home);
afterAll(() => rmSync(home, { recursive: true, force: true }));

test('what a killed process left goes with the next time, unless it may still be written to', async () => {
  const draft = (name: string) => `${folders.pathOf('datasets', 'set')}.${name}.draft`;
  for (const name of ['0000000a', '0000000b']) mkdirSync(draft(name), { recursive: true });
  utimesSync(draft('0000000a'), 1, 1);
  mkdirSync(`${folders.pathOf('datasets', 'set')}.v2`);
  utimesSync(`${folders.pathOf('datasets', 'set')}.v2`, 1, 1);
  await folders.replace('datasets', 'set', async () => {});
  expect(existsSync(draft('0000000a'))).toBe(false);
  expect(readdirSync(join(home, 'datasets')).sort()).toEqual(['set', 'set.0000000b.draft', 'set.v2']);
});
