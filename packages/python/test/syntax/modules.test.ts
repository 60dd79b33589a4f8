import { indexed } from '../files';

const namesOf = async (...paths: (string | [string, string])[]) => {
  const files = Object.fromEntries(paths.map((each) => (typeof each === 'string' ? [each, ''] : each)));
  const index = await indexed(files);
  return Object.fromEntries(index.modules.map(({ path, name, root }) => [path, `${name} in ${root}`]));
};

test('flat layouts, src layouts, single modules and several packages', async () => {
  expect(await namesOf('pkg/__init__.py', 'pkg/sub/__init__.py', 'pkg/sub/mod.py', 'single.py', 'setup.py')).toEqual({
    'pkg/__init__.py': 'pkg in .',
    'pkg/sub/__init__.py': 'pkg.sub in .',
    'pkg/sub/mod.py': 'pkg.sub.mod in .',
    'single.py': 'single in .',
    'setup.py': 'setup in .',
  });
  expect(await namesOf('src/pkg/__init__.py', 'src/pkg/mod.py', 'src/alone.py', 'libs/b/other/__init__.py')).toEqual({
    'src/pkg/__init__.py': 'pkg in src',
    'src/pkg/mod.py': 'pkg.mod in src',
    'src/alone.py': 'alone in src',
    'libs/b/other/__init__.py': 'other in libs/b',
  });
});

test('namespace packages are known by what imports them', async () => {
  const names = await namesOf(
    ['src/corp/tool/__init__.py', ''],
    ['src/corp/tool/core.py', 'from corp.tool import x'],
    ['src/corp/other.py', 'from corp.tool.core import y'],
    ['tests/test_it.py', 'import corp.other'],
  );
  expect(names).toMatchObject({
    'src/corp/tool/__init__.py': 'corp.tool in src',
    'src/corp/tool/core.py': 'corp.tool.core in src',
    'src/corp/other.py': 'corp.other in src',
  });
});

test('a folder with relative imports is a package although it says so nowhere', async () => {
  expect(await namesOf(['tool/core.py', 'from .shapes import area'], 'tool/shapes.py')).toMatchObject({
    'tool/core.py': 'tool.core in .',
    'tool/shapes.py': 'tool.shapes in .',
  });
});

test('tests, examples and documentation are modules too, and marked', async () => {
  const index = await indexed({
    'pkg/__init__.py': '',
    'pkg/tests/test_a.py': '',
    'docs/conf.py': '',
    'examples/demo.py': '',
    'conftest.py': '',
    'build/lib/pkg/__init__.py': '',
  });
  const roles = Object.fromEntries(index.modules.map(({ path, role }) => [path, role]));
  expect(roles).toEqual({
    'pkg/__init__.py': 'source',
    'pkg/tests/test_a.py': 'test',
    'docs/conf.py': 'docs',
    'examples/demo.py': 'example',
    'conftest.py': 'test',
    'build/lib/pkg/__init__.py': 'build',
  });
  expect(index.byName.get('pkg')?.map(({ path }) => path)).toEqual(['pkg/__init__.py', 'build/lib/pkg/__init__.py']);
});
