import { execFileSync } from 'node:child_process';
import { cleaned, openPython } from '@pointsman/python';
import fc from 'fast-check';
import { redocumented, signatureWithDocstring } from '../../../src/problems/specification/types';

test('Python reads back the docstring that was written', () => {
  const piece = fc.constantFrom('a', '"', '""', "'''", '\\', '\\n', '\n', '\n    ', 'é', '{x}', '\r', 'end"', '\f');
  const docstring = fc.array(piece, { maxLength: 14 }).map((parts) => cleaned(cleaned(parts.join(''))));
  const header = fc.constantFrom('def f(x):', '    def f(self):', '\tdef f(self):', '@d\ndef f(\n    a=1,\n):');
  fc.assert(
    fc.property(fc.array(fc.tuple(header, docstring), { minLength: 60, maxLength: 80 }), (cases) => {
      const sources = cases.map(([head, text]) => {
        const indent = /^\s*/.exec(head)![0];
        const body = `${signatureWithDocstring(head, text)}\n${indent}${indent.includes('\t') ? '\t' : '    '}pass\n`;
        return [indent === '' ? body : `class C:\n${body}`, text];
      });
      const program = `import ast, json, sys, inspect
for source, expected in json.load(sys.stdin):
    node = ast.parse(source).body[0]
    node = node.body[0] if isinstance(node, ast.ClassDef) else node
    found = ast.get_docstring(node)
    assert found.rstrip() == expected.expandtabs().rstrip(), (source, found, expected)`;
      execFileSync('python3', ['-c', program], { input: JSON.stringify(sources) });
    }),
    { numRuns: 8, endOnFailure: true },
  );
});

const LONG = "@d(x='a:b')\ndef f(\n    x: 'dict[str, int]' = {'a': 1},\n) -> int:\n";

test.each([
  ['def f(x):\n    """Old."""\n', 'def f(x):\n    """New."""'],
  ['def f(x):\n', 'def f(x):\n    """New."""'],
  [`${LONG}    r'''Old\n    one.'''\n`, `${LONG}    """New."""`],
  ['async def f(x):  # why\n    """Old."""\n', 'async def f(x):  # why\n    """New."""'],
  ['    def m(self):\n        """Old."""\n', '    def m(self):\n        """New."""'],
])('%j gets another docstring', async (signature, expected) => {
  expect(redocumented(await openPython(), signature, 'New.')).toBe(expected);
});
