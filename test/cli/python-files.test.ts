import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readPythonFiles } from '../../src/cli/functions';

const folder = mkdtempSync(join(tmpdir(), 'pointsman-python-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

test('source of the repository alone, as text, in the order of its paths', () => {
  write('b.py', '\uFEFFb = 1\n');
  write('a/latin.py', Buffer.from('# -*- coding: latin-1 -*-\nname = "\xe9"\n', 'latin1'));
  write('a/notes.txt', 'no Python');
  write('.git/hook.py', 'x');
  write('node_modules/gyp/gyp.py', 'x');
  write('env/pyvenv.cfg', 'home = /usr');
  write('env/lib/site.py', 'x');
  write('large.py', `x = "${'y'.repeat(2_000_001)}"`);
  symlinkSync(join(folder, 'b.py'), join(folder, 'linked.py'));
  expect(readPythonFiles(folder)).toEqual([
    { path: 'a/latin.py', text: '# -*- coding: latin-1 -*-\nname = "é"\n' },
    { path: 'b.py', text: 'b = 1\n' },
  ]);
});

test('a folder that is not there is said', () => {
  expect(() => readPythonFiles(join(folder, 'nowhere'))).toThrow(/no folder .*nowhere/);
});
