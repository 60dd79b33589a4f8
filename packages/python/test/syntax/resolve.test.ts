import { Resolver } from '@pointsman/python';
import { indexed } from '../files';

/** What a dotted name is, seen from the end of a module: `path:line` of definitions, or what else it is. */
async function resolved(files: Readonly<Record<string, string>>, from: string, dotted: string): Promise<string[]> {
  const index = await indexed(files);
  const [name = '', ...path] = dotted.split('.');
  return new Resolver(index).resolve(index.byPath.get(from)!, name, path).entities.map((entity) => {
    if (entity.kind === 'definition')
      return [`${entity.module.path}:${entity.binding.statement.line}`, ...entity.rest].join(' ');
    if (entity.kind === 'module') return `module ${entity.module.name}`;
    return `${entity.kind} ${entity.name}`;
  });
}

const PACKAGE = {
  'pkg/__init__.py': 'from .core import *\nfrom .core import hidden as shown\nfrom . import deep\n',
  'pkg/core.py':
    '__all__ = ["first"]\n__all__ += ["second"]\ndef first(): pass\ndef second(): pass\ndef third(): pass\ndef hidden(): pass\n',
  'pkg/deep/__init__.py': 'from ..core import third\n',
  'pkg/deep/leaf.py':
    'from ...pkg import nothing\nfrom .. import first as one\nfrom ..core import second as two\nimport pkg.core as c\nimport pkg.deep\nimport os.path as p\n',
};

test.each([
  ['pkg/__init__.py', 'first', ['pkg/core.py:3']],
  ['pkg/__init__.py', 'second', ['pkg/core.py:4']],
  ['pkg/__init__.py', 'third', []],
  ['pkg/__init__.py', 'shown', ['pkg/core.py:6']],
  ['pkg/__init__.py', 'deep.third', ['pkg/core.py:5']],
  ['pkg/__init__.py', 'deep.leaf', ['module pkg.deep.leaf']],
  ['pkg/deep/leaf.py', 'one', ['pkg/core.py:3']],
  ['pkg/deep/leaf.py', 'two.attribute', ['pkg/core.py:4 attribute']],
  ['pkg/deep/leaf.py', 'c.third', ['pkg/core.py:5']],
  ['pkg/deep/leaf.py', 'pkg.deep.third', ['pkg/core.py:5']],
  ['pkg/deep/leaf.py', 'pkg.shown', ['pkg/core.py:6']],
  ['pkg/deep/leaf.py', 'p.join', ['external os.path.join']],
  ['pkg/deep/leaf.py', 'c.absent', ['missing absent']],
])('%s: %s', async (from, dotted, expected) => {
  expect(await resolved(PACKAGE, from, dotted)).toEqual(expected);
});

test('circular re-exports end, and find what is there', async () => {
  const files = {
    'a/__init__.py': 'from .x import f\nfrom .y import g\n',
    'a/x.py': 'from a import g\ndef f(): return g()\n',
    'a/y.py': 'from a import f\nfrom .y import g as again\ndef g(): return f()\n',
  };
  expect(await resolved(files, 'a/x.py', 'g')).toEqual(['a/y.py:3']);
  expect(await resolved(files, 'a/y.py', 'f')).toEqual(['a/x.py:2']);
  expect(await resolved({ 'l.py': 'from m import x', 'm.py': 'from l import x' }, 'l.py', 'x')).toEqual(['missing x']);
});

test('all definitions that may apply are kept, and those of other Pythons are not', async () => {
  const text = [
    'import sys', // 1
    'try:',
    '    from fast import f', // 3
    'except ImportError:',
    '    def f(): pass', // 5
    'if sys.version_info[0] < 3:',
    '    text = unicode', // 7
    'else:',
    '    text = str', // 9
    'if sys.version_info >= (3, 12):',
    '    g = 1', // 11
    'elif sys.platform == "win32":',
    '    g = 2', // 13
    'else:',
    '    g = 3', // 15
    'h = 1',
    'h = 2', // 17
    'if TYPE_CHECKING:',
    '    from nowhere import T', // 19
    'for k in (): k2 = k', // 20
    'k2 = 1 if h else 2', // 21
  ].join('\n');
  const of = (name: string) => resolved({ 'm.py': text }, 'm.py', name);
  expect(await of('f')).toEqual(['external fast.f', 'm.py:5']);
  expect(await of('text')).toEqual(['m.py:9']);
  expect(await of('g')).toEqual(['m.py:11', 'm.py:13', 'm.py:15']);
  expect(await of('h')).toEqual(['m.py:17']);
  expect(await of('T')).toEqual([]);
  expect(await of('k')).toEqual(['m.py:20']);
  expect(await of('k2')).toEqual(['m.py:21']);
});

test('at a place of the top level only what ran before counts', async () => {
  const index = await indexed({ 'm.py': 'x = 1\ny = x\nx = 2\ndel x\nx = 3\n' });
  const module = index.byPath.get('m.py')!;
  const lines = (before: number) =>
    new Resolver(index)
      .resolve(module, 'x', [], before)
      .entities.flatMap((each) => (each.kind === 'definition' ? [each.binding.statement.line] : []));
  const starts = module.syntax.lineStarts;
  expect(lines(starts[1]!)).toEqual([1]);
  expect(lines(starts[3]!)).toEqual([3]);
  expect(lines(starts[4]! + 1)).toEqual([5]);
});

test('a module-level `__getattr__` answers for what is not there', async () => {
  const files = { 'm.py': 'def __getattr__(name): return name\n', 'n.py': 'from m import anything\n' };
  expect(await resolved(files, 'n.py', 'anything')).toEqual(['m.py:1']);
});
