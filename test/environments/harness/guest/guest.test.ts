import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { GUEST, type Interpreter, interpreters } from './support';

const run = promisify(execFile);
const TESTS = join(__dirname, 'python');
let found: Interpreter[];

beforeAll(async () => {
  found = await interpreters();
});

test('what is written in Python holds under each Python of this machine', async () => {
  expect(found.length).toBeGreaterThan(0);
  for (const { version, command, env } of found) {
    const { stderr } = await run(command, ['-m', 'unittest', 'discover', '-s', TESTS], {
      env: { ...env, PYTHONPATH: GUEST },
    });
    expect(stderr).toMatch(/\nOK\n$/);
    const tests = Number(/Ran (\d+) tests/.exec(stderr)?.[1]);
    console.log(`Python ${version}: ${tests} tests`);
    expect(tests).toBeGreaterThan(30);
  }
});

test('every file is Python of 3.8, and of the standard library but for the strategies', async () => {
  const files = readdirSync(GUEST, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.py'));
  const script = `
import ast, json, sys
own = {'pointsman_guest', 'pointsman_cases'}
found = set()
for path in sys.argv[1:]:
    tree = ast.parse(open(path, encoding='utf-8').read(), path, feature_version=(3, 8))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {one.name.split('.')[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module.split('.')[0])
print(json.dumps(sorted(found - own - set(sys.stdlib_module_names))))`;
  const newest = found.at(-1)!;
  const paths = files.map((name) => join(GUEST, name));
  const { stdout } = await run(newest.command, ['-c', script, ...paths], { env: newest.env });
  expect(JSON.parse(stdout)).toEqual(['coverage', 'hypothesis']);
});
