import { indexRepository, openPython } from '@pointsman/python';
import { functionNamed } from '../../src/cli/functions';

test('a function that is not there is answered with the one that looks most like it', async () => {
  const index = indexRepository(await openPython(), [
    { path: 'pkg/__init__.py', text: '' },
    { path: 'pkg/mod.py', text: 'class C:\n    def method(self): pass\n' },
  ]);
  expect(functionNamed(index, 'pkg.mod.C.method').qualname).toBe('C.method');
  expect(() => functionNamed(index, 'pkg.mod.C.metod')).toThrow('did you mean pkg.mod.C.method?');
  expect(() => functionNamed(index, 'pkg.C.method')).toThrow('did you mean pkg.mod.C.method?');
});
