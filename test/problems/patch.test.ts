import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { pathsOfNumstat, splitPatch } from '../../src/problems/patch';
import { reversePatch } from '../../src/problems/reverse';

const lines = fc.array(
  fc.constantFrom('a', 'b', '--- x', '+++ y', 'diff --git a/z b/z', '@@ -1 +1 @@', '', '-', '+', '\\ No'),
  { maxLength: 12 },
);
const body = fc
  .record({ lines, end: fc.boolean() })
  .map(({ lines, end }) => (lines.length === 0 ? '' : lines.join('\n') + (end ? '\n' : '')));
const name = fc.constantFrom('a.py', 'b c.py', 'é.py', 'dir/x.py', 'q"t.py', 'tab\tx.py');
const tree = fc.dictionary(name, body, { maxKeys: 4 });

/** Git's own patch between two trees, and a check of whether a patch leads from one to the other. */
function gitDiff(before: Record<string, string>, after: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'patch-'));
  const git = (args: string[], input?: string) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', '-c', 'core.autocrlf=false', ...args], {
      cwd: folder,
      input,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  const write = (files: Record<string, string>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  };
  git(['init', '-q']);
  write(before);
  git(['add', '-A']);
  git(['commit', '-q', '--allow-empty', '-m', 'x']);
  for (const path of Object.keys(before)) rmSync(join(folder, path));
  write(after);
  git(['add', '-A']);
  const patch = git(['diff', '--cached', '--no-renames', 'HEAD']);
  return {
    folder,
    git,
    patch,
    paths: git(['diff', '--cached', '--no-renames', '--name-only', '-z', 'HEAD']).split('\0').filter(Boolean),
  };
}

describe('patches', () => {
  it('are split as git reads them, whatever their content looks like; reversed they lead back', () => {
    fc.assert(
      fc.property(tree, tree, (before, after) => {
        const { folder, git, patch, paths } = gitDiff(before, after);
        try {
          const sections = splitPatch(patch);
          expect(sections.map((section) => section.to ?? section.from).sort()).toEqual([...paths].sort());
          expect(sections.map((section) => section.text).join('\n')).toBe(patch);
          if (patch === '') return;
          git(['apply', '--index', '-'], reversePatch(patch));
          expect(git(['diff', '--cached', '--name-only', 'HEAD'])).toBe('');
        } finally {
          rmSync(folder, { recursive: true });
        }
      }),
      { numRuns: 60 },
    );
  });

  it('never throw while being read', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(lines), (text, more) => void splitPatch(`${text}\n${more.flat().join('\n')}`)),
      { numRuns: 2000 },
    );
  });

  it('names renames and nul-separated paths from numstat', () => {
    expect(pathsOfNumstat('1\t2\ta b\0' + '0\t0\t\0old\0new\0' + '-\t-\tbin\0')).toEqual(['a b', 'old', 'new', 'bin']);
  });
});
