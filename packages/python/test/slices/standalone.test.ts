import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findFunction, type SourceFile, sliceSyntax, standaloneModule } from '@pointsman/python';
import { indexed } from '../files';

const work = mkdtempSync(join(tmpdir(), 'pointsman-standalone-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));
let folders = 0;

async function standalone(files: Readonly<Record<string, string>>, qualname: string): Promise<readonly SourceFile[]> {
  const index = await indexed(files);
  return standaloneModule(index, sliceSyntax(index, findFunction(index, qualname)!));
}

/** What an expression comes to where nothing but these files can be imported. */
function evaluated(files: readonly SourceFile[], module: string, expression: string): string {
  const folder = join(work, String(folders++));
  for (const { path, text } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const code = `import sys; sys.path.insert(0, sys.argv[1]); import ${module}; print(eval(sys.argv[2]))`;
  return execFileSync('python3', ['-I', '-c', code, folder, expression], { encoding: 'utf8' }).trim();
}

/** Everything at once: branches, tries, registries, re-exports, stars, cycles, tables that are filled. */
const PACKAGE = {
  'src/pkg/__init__.py': 'from .api import *\nfrom .unrelated import broken\n',
  'src/pkg/unrelated.py': 'raise RuntimeError("no part of the slice")\nbroken = 1\n',
  'src/pkg/api.py': [
    'import sys, os.path as osp',
    'from .tables import *',
    'from . import registry as reg',
    'from .cycle import half',
    'if sys.version_info[0] < 3:',
    '    text = unicode',
    'else:',
    '    text = str',
    '    NOTE = """kept',
    'as it is"""',
    'if osp.sep == "nowhere":',
    '    def join(a, b): return a',
    'else:',
    '    def join(a, b): return a + b',
    'try:',
    '    import no_such_package as fast',
    'except ImportError:',
    '    fast = None',
    'else:',
    '    raise AssertionError',
    'def double(x): return half(x) * 4',
    'def f(x):',
    '    return [join(text(x), NOTE), TABLE[x], sorted(reg.KNOWN), double(x), fast]',
  ].join('\n'),
  'src/pkg/tables.py': 'TABLE = {}\nfor key in range(3):\n    TABLE[key] = -key\nUNUSED = 1 / 1\n',
  'src/pkg/registry.py':
    'KNOWN = {}\ndef known(name):\n    def keep(f):\n        KNOWN[name] = f\n        return f\n    return keep\n@known("one")\ndef one(): pass\n',
  'src/pkg/cycle.py': 'def half(x):\n    from .api import double\n    return x / 2 if double else 0\n',
};

test('a slice written out runs alone and gives the same', async () => {
  const files = await standalone({ ...PACKAGE, 'src/pkg/__init__.py': 'from .api import *\n' }, 'pkg.f');
  expect(files.map(({ path }) => path)).toEqual([
    'pkg/__init__.py',
    'pkg/api.py',
    'pkg/cycle.py',
    'pkg/registry.py',
    'pkg/tables.py',
  ]);
  const original = Object.entries(PACKAGE)
    .map(([path, text]) => ({ path: path.slice('src/'.length), text }))
    .map((each) => (each.path === 'pkg/__init__.py' ? { ...each, text: '' } : each));
  const expression = 'pkg.api.f(2)';
  expect(evaluated(files, 'pkg.api', expression)).toBe(evaluated(original, 'pkg.api', expression));
  expect(evaluated(files, 'pkg.api', expression)).toContain('kept\\nas it is');
});

test('what the slice does not need is gone, and so is what breaks in it', async () => {
  const files = await standalone(PACKAGE, 'pkg.api.f');
  const text = files.map((each) => each.text).join('\n');
  expect(text).not.toMatch(/UNUSED|broken|unicode/);
  expect(evaluated(files, 'pkg.api', 'pkg.api.f(1)[1]')).toBe('-1');
});

test('a slice that reads annotations keeps them as they were evaluated', async () => {
  const files = await standalone(
    {
      'm.py':
        'import typing\nclass A: pass\ndef g(x: A): pass\ndef f(): return typing.get_type_hints(g)["x"].__name__, g.__annotations__["x"].__name__\n',
    },
    'm.f',
  );
  expect(evaluated(files, 'm', 'm.f()')).toBe("('A', 'A')");
});
