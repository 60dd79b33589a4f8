import { type CallGraph, calleesOf, callGraphOf, openPython, reachedFrom } from '@pointsman/python';
import fc from 'fast-check';

async function graphOf(files: Record<string, string>, entries?: string[]): Promise<CallGraph> {
  const python = await openPython();
  const modules = Object.entries(files).map(([name, text]) => ({ name, syntax: python.parse(`${name}.py`, text) }));
  return callGraphOf(python, modules, entries ? { entries } : {});
}

test('what is reached is the closure of what is called, within the files given', async () => {
  const graph = await graphOf({ m: 'def a():\n  b()\ndef b():\n  c(); len([])\ndef c():\n  a()\n' });
  expect([...calleesOf(graph, 'm.b')]).toEqual(['m.c']);
  expect([...reachedFrom(graph, 'm.a')].sort()).toEqual(['m.a', 'm.b', 'm.c']);
});

test('calls that cannot be followed are listed with their place and a reason', async () => {
  const { unresolved } = await graphOf({ m: 'def f(x):\n  x.go()\n  nowhere()\n' });
  expect(unresolved).toEqual([
    { file: 'm.py', line: 2, text: 'x.go', why: 'the type of the receiver is not known' },
    { file: 'm.py', line: 3, text: 'nowhere', why: 'nothing is known to be bound to this name' },
  ]);
});

test('a call that more values reach than are kept is said to be incomplete', async () => {
  const functions = Array.from({ length: 60 }, (_, at) => `def f${at}(): pass`).join('\n');
  const list = Array.from({ length: 60 }, (_, at) => `f${at}`).join(', ');
  const { unresolved, edges } = await graphOf({ m: `${functions}\nfor each in [${list}]:\n  each()\n` });
  expect(edges.get('m')!.size).toBeLessThan(60);
  expect(unresolved.map(({ text, why }) => [text, why])).toEqual([
    ['each', 'more values reach it than are kept: some callees are missing'],
  ]);
});

test('modules that the program does not import are not read', async () => {
  const files = { main: 'import used\nused.f()\n', used: 'def f(): pass\n', other: 'def g(): pass\n' };
  expect([...(await graphOf(files, ['main'])).edges.keys()].sort()).toEqual(['main', 'used', 'used.f']);
  expect((await graphOf(files)).edges.has('other.g')).toBe(true);
});

test('functions that call themselves through their own arguments come to an end', async () => {
  const graph = await graphOf({
    m: 'def f(*args, **kw):\n  f(1, *args, **kw)\n  return [f(*args)] + [args]\ndef g(x):\n  x = [x]\n  g(x)\n  g(x[1:])\nf(f)\ng(g)\n',
  });
  expect([...calleesOf(graph, 'm.f')]).toEqual(['m.f']);
});

/** Base lists of classes that only derive from earlier ones, as Python demands. */
const hierarchies = fc
  .array(fc.array(fc.nat(5), { maxLength: 3 }), { minLength: 1, maxLength: 6 })
  .map((lists) => lists.map((bases, at) => [...new Set(bases.filter((base) => base < at))]));

test('a method is that of the first class in C3’s order', async () => {
  const python = await openPython();
  fc.assert(
    fc.property(hierarchies, fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), (hierarchy, defines) => {
      const lines = hierarchy.map((bases, at) => {
        const body = defines[at] || at === 0 ? 'def m(self): pass' : 'pass';
        return `class C${at}(${bases.map((base) => `C${base}`).join(', ')}):\n  ${body}`;
      });
      const order = c3(hierarchy, hierarchy.length - 1);
      if (!order) return;
      const owner = order.find((at) => defines[at] || at === 0);
      const text = `${lines.join('\n')}\nC${hierarchy.length - 1}().m()\n`;
      const graph = callGraphOf(python, [{ name: 'm', syntax: python.parse('m.py', text) }], { entries: ['m'] });
      expect([...graph.edges.get('m')!]).toEqual(owner === undefined ? [] : [`m.C${owner}.m`]);
    }),
    { numRuns: 200 },
  );
});

/** The definition itself, by recursion; undefined where no order exists. */
function c3(hierarchy: readonly (readonly number[])[], at: number): number[] | undefined {
  const bases = hierarchy[at]!;
  const lists: number[][] = [];
  for (const base of bases) {
    const list = c3(hierarchy, base);
    if (!list) return undefined;
    lists.push(list);
  }
  lists.push([...bases]);
  const order = [at];
  for (
    let rest = lists.filter(({ length }) => length > 0);
    rest.length > 0;
    rest = rest.filter(({ length }) => length > 0)
  ) {
    const good = rest.map((list) => list[0]!).find((head) => rest.every((list) => list.indexOf(head) <= 0));
    if (good === undefined) return undefined;
    order.push(good);
    for (const list of rest) if (list[0] === good) list.shift();
  }
  return order;
}
