import { describeSlice, findFunction, sliceSyntax } from '@pointsman/python';
import { indexed } from '../files';

/** A slice in short: `name@line` of its items, what runs at import, and what could not be followed. */
async function slice(files: Readonly<Record<string, string>> | string, qualname: string) {
  const index = await indexed(typeof files === 'string' ? { 'm.py': files } : files);
  const found = describeSlice(sliceSyntax(index, findFunction(index, qualname)!));
  return {
    items: found.items.map(({ module, name, lines }) => `${module}.${name}@${lines[0]}`),
    imports: found.imports,
    effects: found.importTimeEffects.map(({ lines, mutates }) => `${lines[0]} ${mutates.join(' ')}`.trim()),
    unresolved: found.unresolved.map(({ line, why }) => `${line}: ${why}`),
  };
}

test('functions and globals, transitively and across files, the target last', async () => {
  const files = {
    'pkg/__init__.py': 'from .a import f\n',
    'pkg/a.py':
      'import re\nfrom . import b\nfrom .c import helper as h, other\n\ndef f(x):\n    return h(x) + b.LIMIT\n',
    'pkg/b.py': 'import os\nLIMIT, REST = 3, 4\n',
    'pkg/c.py':
      'import re\nPATTERN = re.compile("x")\ndef helper(x):\n    return PATTERN.sub("", x)\ndef other(): pass\n',
  };
  expect(await slice(files, 'pkg.f')).toEqual({
    items: expect.arrayContaining(['pkg.c.PATTERN@2', 'pkg.c.helper@3', 'pkg.b.LIMIT@2']),
    imports: ['import re'],
    effects: [],
    unresolved: [],
  });
  expect((await slice(files, 'pkg.a.f')).items.at(-1)).toBe('pkg.a.f@5');
});

test('a method stands for its class, with bases, metaclass, decorators and class-level names', async () => {
  const text =
    'def deco(c): return c\nclass Meta(type): pass\nBASE = object\nSIZE = 3\nclass Base(BASE, metaclass=Meta): pass\n@deco\nclass C(Base):\n    size = SIZE\n    def m(self):\n        return self.size\n';
  expect((await slice(text, 'm.C.m')).items).toEqual([
    'm.deco@1',
    'm.Meta@2',
    'm.BASE@3',
    'm.SIZE@4',
    'm.Base@5',
    'm.C@6',
  ]);
});

test('annotations belong only where something looks at them', async () => {
  const text =
    'from functools import singledispatch\nclass A: pass\nclass B: pass\ndef f(x: A) -> A:\n    y: A = g(x)\n    return y\n@singledispatch\ndef g(x): return x\n@g.register\ndef _(x: B): return x\n';
  const found = await slice(text, 'm.f');
  expect(found.items).toEqual(['m.B@3', 'm.g@7', 'm._@9', 'm.f@4']);
  expect(found.effects).toEqual(['9 g']);
});

test('stubs of overloads, and every definition that may apply, belong', async () => {
  const text =
    'from typing import overload\nimport sys\n@overload\ndef f(x: int) -> int: ...\n@overload\ndef f(x: str) -> str: ...\ndef f(x):\n    return g(x)\ntry:\n    from fast import k\nexcept ImportError:\n    def k(x): return x\nif sys.version_info >= (3, 12):\n    def g(x): return k(x)\nelse:\n    def g(x): return x\nif sys.version_info < (3, 0):\n    def g(x): return unicode(x)\n';
  const found = await slice(text, 'm.f');
  expect(found.items).toEqual(['m.k@12', 'm.g@14', 'm.g@16', 'm.f@3', 'm.f@5', 'm.f@7']);
});

test('an optional package is an import with its fallback, not a global', async () => {
  const text =
    'try:\n    import fast  # wide\nexcept ImportError:\n    fast = None\nHAS = fast is not None\ndef f(): return fast if HAS else 1\n';
  expect(await slice(text, 'm.f')).toMatchObject({
    items: ['m.HAS@5', 'm.f@6'],
    imports: ['try:\n    import fast\nexcept ImportError:\n    fast = None'],
  });
});

test('statements that change what the slice holds are its import-time effects, and what they need belongs', async () => {
  const text = [
    'TABLE = {}', // 1
    'NAMES = []',
    'OTHER = []', // 3
    'def fill(key, value):',
    '    put(TABLE, key, value)', // 5
    'def put(table, key, value):',
    '    table[key] = value', // 7
    'fill("a", 1)',
    'for each in "bc":', // 9
    '    TABLE[each] = 2',
    'def register(f):', // 11
    '    NAMES.append(f.__name__)',
    '    return f', // 13
    '@register',
    'def one(): pass', // 15
    'TABLE.update(d=3)',
    'OTHER.append(1)', // 17
    'class C: pass',
    'C.extra = TABLE', // 19
    'TABLE.get("a")',
    'def f(): return TABLE, NAMES', // 21
  ].join('\n');
  const found = await slice(text, 'm.f');
  expect(found.effects).toEqual(['8 TABLE', '9 TABLE', '14 NAMES', '16 TABLE']);
  expect(found.items).toEqual(['m.TABLE@1', 'm.NAMES@2', 'm.fill@4', 'm.put@6', 'm.register@11', 'm.one@14', 'm.f@21']);
});

test('effects of modules that an import never loads do not count', async () => {
  const files = {
    'pkg/__init__.py': 'from . import plugin\n',
    'pkg/core.py': 'TABLE = {}\ndef f(): return TABLE\n',
    'pkg/plugin.py': 'from .core import TABLE\nTABLE["plugin"] = 1\n',
    'pkg/unused.py': 'from .core import TABLE\nTABLE["unused"] = 1\n',
  };
  const index = await indexed(files);
  const effects = describeSlice(sliceSyntax(index, findFunction(index, 'pkg.core.f')!)).importTimeEffects;
  expect(effects).toMatchObject([
    { file: 'pkg/plugin.py', lines: [2, 2], mutates: ['TABLE'], text: 'TABLE["plugin"] = 1' },
  ]);
});

test.each([
  [
    'a format that is filled from globals()',
    'A = 1\nB = "{A} {{C}}".format(**globals())\nC = 2\ndef f(): return B',
    ['m.A@1', 'm.B@2', 'm.f@4'],
  ],
  ['an old format', 'A = 1\nB = "%(A)s" % globals()\nC = 2\ndef f(): return B', ['m.A@1', 'm.B@2', 'm.f@4']],
  ['a key that is written down', 'def A(): pass\ndef B(): pass\ndef f(): return globals()["A"]()', ['m.A@1', 'm.f@3']],
  [
    'a key with a known beginning',
    'def on_a(): pass\ndef on_b(): pass\ndef no(): pass\ndef f(k): return globals()["on_" + k]()',
    ['m.on_a@1', 'm.on_b@2', 'm.f@4'],
  ],
  [
    'getattr of a text that is evaluated',
    'def A(): pass\ndef B(): pass\ndef f(): return eval("A()")',
    ['m.A@1', 'm.f@3'],
  ],
  ['a key that nobody knows', 'def A(): pass\nB = 1\ndef f(k): return globals()[k]', ['m.A@1', 'm.B@2', 'm.f@3']],
])('looked up by name: %s', async (_, text, expected) => {
  expect((await slice(text, 'm.f')).items).toEqual(expected);
});

test('what was widened or cannot be followed is said with its line', async () => {
  expect((await slice('A = 1\ndef f(k):\n    eval(k)\n    return globals()[k]', 'm.f')).unresolved).toEqual([
    expect.stringMatching(/^3: eval/),
    expect.stringMatching(/^4: looked up by a name/),
  ]);
  expect((await slice('def f(): return nowhere', 'm.f')).unresolved).toEqual([
    expect.stringContaining('binds nowhere'),
  ]);
});

test('modules looked into by name, by another name, and as values', async () => {
  const files = {
    'm.py':
      'import kinds\ndef f(k): return getattr(kinds, "is_" + k)()\ndef g():\n    k = kinds\n    return k.is_a() + k.LIMIT\ndef h(): return kinds\n',
    'kinds.py': 'LIMIT = 1\ndef is_a(): pass\ndef is_b(): pass\ndef no(): pass\n',
  };
  expect((await slice(files, 'm.f')).items).toEqual(['kinds.is_a@2', 'kinds.is_b@3', 'm.f@2']);
  expect((await slice(files, 'm.g')).items).toEqual(['kinds.LIMIT@1', 'kinds.is_a@2', 'm.g@3']);
  expect((await slice(files, 'm.h')).items).toHaveLength(5);
});

test('names that statements write into their module are found there', async () => {
  const text = 'for each in ("red", "blue"):\n    globals()[each] = each\ndef f(): return red\n';
  expect(await slice(text, 'm.f')).toMatchObject({ items: ['m.f@3'], effects: ['1'], unresolved: [] });
});

test('imports inside of functions are followed', async () => {
  const files = {
    'm.py': 'def f():\n    from n import g as h\n    import n\n    return h() + n.LIMIT\n',
    'n.py': 'LIMIT = 1\ndef g(): pass\ndef no(): pass\n',
  };
  expect((await slice(files, 'm.f')).items).toEqual(['n.LIMIT@1', 'n.g@2', 'm.f@1']);
});

test('a name that is not there is no function', async () => {
  const index = await indexed({ 'pkg/__init__.py': '', 'pkg/mod.py': 'class C:\n    def method(self): pass\n' });
  expect(findFunction(index, 'pkg.mod.C.method')?.lines).toEqual([2, 2]);
  expect(findFunction(index, 'pkg.mod.C.metod')).toBeUndefined();
});
