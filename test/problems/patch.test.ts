import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import type { Problem } from '../../src/contract';
import { inspectPatch, shadowsLibrary } from '../../src/problems/inspect';
import { pathsOfNumstat, splitPatch } from '../../src/problems/patch';
import { pytestSection } from '../../src/problems/pytest-config';
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
  }, 120_000);

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

describe('inspection', () => {
  const problem = {
    id: 'p',
    tests: { failToPass: ['tests/test_a.py::x'], passToPass: [], files: [{ path: 'data/hidden.txt', content: '' }] },
    protected: ['.venv'],
  } as unknown as Problem;
  const kinds = (path: string, mode = '100644') =>
    inspectPatch(
      `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`,
      problem,
    ).flags.map((flag) => flag.kind);

  it.each([
    ['tests/helper.py', 'touches_test'],
    ['pkg/conftest.py', 'touches_test'],
    ['data/hidden.txt', 'touches_test'],
    ['pkg/pytest.ini', 'touches_test_config'],
    ['a/sitecustomize.py', 'startup_hook'],
    ['x.pth', 'startup_hook'],
    ['.venv/x', 'touches_protected'],
    ['.GIT/config', 'touches_git'],
    ['a/../../x', 'outside_workdir'],
    ['src/unittest/__init__.py', 'shadows_library'],
    ['_pytest/x.py', 'shadows_library'],
  ])('drops %s as %s', (path, kind) => expect(kinds(path)).toContain(kind));

  it.each(['pkg/json.py', 'src/pkg/test/client.py', 'docs/conf.py', 'pkg/types.py', '.venvs/x'])(
    'leaves %s alone',
    (path) => expect(kinds(path)).toEqual([]),
  );

  it('sees what shadows a library, and what does not', () => {
    expect(shadowsLibrary('json.py', [])).toBe(true);
    expect(shadowsLibrary('json.md', [])).toBe(false);
    expect(shadowsLibrary('tests/random.py', ['tests'])).toBe(true);
  });

  it('takes only what pytest reads from shared files', () => {
    const file = '[project]\nname = "x"\n[tool.pytest.ini_options]\naddopts = "-q"\n[tool.black]\nline = 1\n';
    expect(pytestSection('pyproject.toml', file)).toBe('[tool.pytest.ini_options]\naddopts = "-q"');
    expect(pytestSection('pyproject.toml', file.replace('"x"', '"y"'))).toBe(pytestSection('pyproject.toml', file));
    expect(pytestSection('setup.cfg', '[metadata]\nname = x\n[tool:pytest]\naddopts = -x\n')).toBe(
      '[tool:pytest]\naddopts = -x',
    );
  });
});
