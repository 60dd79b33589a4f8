import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { addedLines, splitPatch } from '../../src/problems/patch';
import { reversePatch } from '../../src/problems/reverse';
import { unifiedDiff } from '../../src/problems/unified-diff';

const folder = mkdtempSync(join(tmpdir(), 'unified-diff-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What git makes of a patch: the judge that counts. */
function applied(path: string, before: string | null, patch: string): string | null {
  const repository = mkdtempSync(join(folder, 'r-'));
  const file = join(repository, path);
  mkdirSync(dirname(file), { recursive: true });
  if (before !== null) writeFileSync(file, before);
  execFileSync('git', ['apply', '--whitespace=nowarn', '-'], { cwd: repository, input: patch });
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

const text = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', '', ' c', '-x', '+y', '@@ z', '\tq', 'é'), { maxLength: 30 }), fc.boolean())
  .map(([lines, ended]) => lines.join('\n') + (ended && lines.length > 0 ? '\n' : ''));

test('git applies what is written, and its reverse takes it back', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const patch = unifiedDiff('pkg/mod.py', before, after);
      if (before === after) return expect(patch).toBe('');
      expect(applied('pkg/mod.py', before, patch)).toBe(after);
      expect(applied('pkg/mod.py', after, reversePatch(patch))).toBe(before);
    }),
    { numRuns: 60 },
  );
});

test('files come and go', () => {
  const created = unifiedDiff('new/test_x.py', null, 'one\ntwo');
  expect(applied('new/test_x.py', null, created)).toBe('one\ntwo');
  const [section] = splitPatch(created);
  expect(section).toMatchObject({ from: null, to: 'new/test_x.py' });
  expect(addedLines(section!)).toEqual(['one', 'two']);
  expect(applied('old.py', 'one\n', unifiedDiff('old.py', 'one\n', null))).toBeNull();
});

test('changes far apart are hunks of their own, near ones share one', () => {
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at}`);
  const changed = lines.with(3, 'three').with(8, 'eight').with(30, 'thirty');
  const patch = unifiedDiff('a.txt', `${lines.join('\n')}\n`, `${changed.join('\n')}\n`);
  expect(patch.match(/^@@ .*@@$/gm)).toEqual(['@@ -1,12 +1,12 @@', '@@ -28,7 +28,7 @@']);
});

test('what is too large to compare line by line is still a patch that applies', () => {
  const before = Array.from({ length: 2500 }, (_, at) => `old ${at}\n`).join('');
  const after = Array.from({ length: 2500 }, (_, at) => `new ${at}\n`).join('');
  expect(applied('big.txt', before, unifiedDiff('big.txt', before, after))).toBe(after);
});
