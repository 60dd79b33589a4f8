import { execFileSync } from 'node:child_process';
import { openPython, type Python, usesIn } from '@pointsman/python';

let python: Python;
beforeAll(async () => {
  python = await openPython();
});

const uses = (text: string) =>
  python.parse('m.py', text).body.flatMap((each) => usesIn(each).map(({ name, path }) => [name, ...path].join('.')));

test.each([
  ['parameters and locals shadow', 'def f(a, b=c):\n    d = a + b\n    return d + e', ['c', 'e']],
  [
    'decorators, defaults and annotations belong to the scope around',
    '@dec\ndef f(x: ann = deflt) -> ret: pass',
    ['dec', 'deflt', 'ann', 'ret'],
  ],
  ['closures see the function around, not the class', 'class C:\n    x = 1\n    def m(self):\n        return x', ['x']],
  [
    'a class body sees its own names once they are there',
    'class C:\n    a = a\n    b = a\n    def m(self, d=b): pass',
    ['a'],
  ],
  [
    'the first iterable of a comprehension is evaluated outside',
    'class C:\n    xs = [1]\n    ys = [x for x in xs if xs]',
    ['xs'],
  ],
  ['loop variables of a comprehension stay inside', '[x + y for x in xs for y in x]', ['xs']],
  ['a walrus binds around the comprehension', 'def f():\n    [y := x for x in xs]\n    return y', ['xs']],
  ['global names are the module’s', 'def f():\n    global g\n    g = 1\n    return g', ['g', 'g']],
  [
    'nonlocal names are the function’s around',
    'def f():\n    n = 1\n    def inner():\n        nonlocal n\n        n = 2\n        return n',
    [],
  ],
  ['+= makes a name local', 'def f():\n    n += 1', []],
  [
    'except, with, for, import and match bind',
    'def f(v):\n    with a as b: b\n    for c in b: c\n    try: pass\n    except E as e: e\n    match v:\n        case [m, *n]: m, n',
    ['a', 'E'],
  ],
  ['attribute chains are one use', 'x = a.b.c(d.e)[f].g', ['a.b.c', 'd.e', 'f']],
  ['lambdas have parameters', 'lambda x, y=z: x + y + w', ['z', 'w']],
  ['annotations of local variables are never evaluated', 'def f():\n    x: T = 1', []],
  ['type parameters are a scope', 'def f[T](x: T) -> T: return T', []],
  ['what an f-string says is used', 'f"{a} {b!r:{c}}"', ['a', 'b', 'c']],
])('%s', (_, text, expected) => {
  expect(uses(text)).toEqual(expected);
});

/** Globals of every code object in a file, as CPython's symbol table has them. */
const SYMTABLE = `
import json, symtable, sys
def globals_of(table, top):
    if table.get_type() == 'annotation':
        return
    if not top:
        for s in table.get_symbols():
            if s.is_global() and s.is_referenced():
                yield s.get_name()
    for child in table.get_children():
        yield from globals_of(child, False)
result = {}
for path in sys.argv[1:]:
    text = open(path, encoding='utf-8').read()
    result[path] = sorted(set(globals_of(symtable.symtable(text, path, 'exec'), True)))
json.dump(result, sys.stdout)
`;

test("CPython's symbol table finds the same globals in the functions and classes of its standard library", () => {
  const list = `import glob, sysconfig; print('\\n'.join(sorted(glob.glob(sysconfig.get_path('stdlib') + '/[a-f]*.py'))))`;
  const files = execFileSync('python3', ['-c', list], { encoding: 'utf8' }).trim().split('\n');
  const reference = JSON.parse(
    execFileSync('python3', ['-c', SYMTABLE, ...files], { encoding: 'utf8', maxBuffer: 1 << 28 }),
  ) as Record<string, string[]>;
  expect(files.length).toBeGreaterThan(40);
  for (const [path, expected] of Object.entries(reference)) {
    const module = python.parse(path, execFileSync('cat', [path], { encoding: 'utf8', maxBuffer: 1 << 26 }));
    const found = new Set(module.body.flatMap((each) => usesIn(each).map(({ name }) => name)));
    // Ours hold what the top level itself uses as well; none of theirs may be missing.
    expect({ path, missing: expected.filter((name) => !found.has(name)) }).toEqual({ path, missing: [] });
  }
});
