import { openPython } from '@pointsman/python';
import type { FunctionInstance } from '../../../src/contract';
import { stubbedModule } from '../../../src/problems/tables/stubbed-module';

/** As much of an instance as a stub is made of. */
function instance(
  name: string,
  kind: 'function' | 'method',
  lines: [number, number],
  signature: string,
): FunctionInstance {
  const target = { module: 'm', name, kind, file: 'm.py', lines };
  return { id: name, subject: { target }, signature } as unknown as FunctionInstance;
}

test.each([
  ['four columns', 'def f(x):\n    """Old."""\n    return x + 1\n', 'def f(x):\n    """New."""\n'],
  ['two columns', 'def f(x):\n  """Old."""\n  return x + 1\n', 'def f(x):\n  """New."""\n'],
  ['tabs', 'def f(x):\n\t"""Old."""\n\treturn x + 1\n', 'def f(x):\n\t"""New\n\tone."""\n'],
])('a stub is indented as its file is: %s', async (_, text, signature) => {
  const python = await openPython();
  const { text: stub, gold } = stubbedModule(python, instance('f', 'function', [1, 3], signature), text);
  expect(python.parse('m.py', stub).errors).toEqual([]);
  expect(stub).toContain('New');
  expect(stub).toMatch(/raise NotImplementedError\n$/);
  expect(gold).toContain('+');
});

test('a method keeps its place, its decorators and its neighbours', async () => {
  const text =
    'class C:\n    a = 1\n\n    @classmethod\n    def f(cls, x):\n        """Old."""\n        return x\n\n    def g(self):\n        return 2\n';
  const signature = '@classmethod\ndef f(cls, x):\n    """New."""\n';
  const { text: stub } = stubbedModule(await openPython(), instance('C.f', 'method', [4, 7], signature), text);
  expect(stub).toBe(text.replace('"""Old."""\n        return x', '"""New."""\n        raise NotImplementedError'));
});

test('a file that does not hold the function is refused', async () => {
  const python = await openPython();
  expect(() => stubbedModule(python, instance('f', 'function', [1, 2], 'def f():\n'), 'x = 1\n')).toThrow(
    /no stub fits/,
  );
});
