import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Atom, AtomName, GuestFacts } from '../../../src/contract';
import { renderAtoms } from '../../../src/setup/experience';

const GUEST: GuestFacts = {
  python: '/venv/bin/python',
  venv: '/venv',
  packageManager: 'apt',
  node: 'npm',
  conda: true,
  workdir: '/repo',
  django: { settings: 'shop.settings' },
};
const render = (name: AtomName, args: Record<string, unknown>, guest: Partial<GuestFacts> = {}) =>
  renderAtoms([{ name, args }], { ...GUEST, ...guest });

const folder = mkdtempSync(join(tmpdir(), 'atoms-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a script in real bash and gives what it printed; a failing line ends it. */
function bash(script: string, env: Record<string, string> = {}): string {
  const file = join(folder, 'script.sh');
  writeFileSync(file, script);
  const ran = spawnSync('bash', ['-e', file], {
    env: { PATH: process.env.PATH!, ...env },
    encoding: 'utf8',
    cwd: folder,
  });
  if (ran.status !== 0) throw new Error(`bash ended with ${ran.status}: ${ran.stderr}`);
  return ran.stdout;
}

test.each<[AtomName, Record<string, unknown>, string]>([
  ['pip_install', { name: 'numpy' }, '/venv/bin/python -m pip install numpy'],
  ['pip_install', { package: 'numpy', spec: '<2' }, "/venv/bin/python -m pip install 'numpy<2'"],
  ['pip_install', { packages: ['numpy', 'scipy>=1.2,<2'] }, "/venv/bin/python -m pip install numpy 'scipy>=1.2,<2'"],
  ['pip_install', { packages: 'numpy scipy' }, '/venv/bin/python -m pip install numpy scipy'],
  ['pip_install', { packages: 'numpy, scipy' }, '/venv/bin/python -m pip install numpy scipy'],
  ['pip_install', { pkg: 'a >= 1, < 2' }, "/venv/bin/python -m pip install 'a>=1,<2'"],
  ['pip_install', { name: '.[dev,test]' }, "/venv/bin/python -m pip install '.[dev,test]'"],
  [
    'pip_install',
    { name: 'x', options: '--no-build-isolation' },
    '/venv/bin/python -m pip install --no-build-isolation x',
  ],
  ['pip_install', { flags: ['-r', 'requirements.txt'] }, '/venv/bin/python -m pip install -r requirements.txt'],
  ['pip_pin', { name: 'pytest', spec: '<8' }, "/venv/bin/python -m pip install 'pytest<8'"],
  ['pip_pin', { package: 'pytest', version: '7.4.0' }, '/venv/bin/python -m pip install pytest==7.4.0'],
  ['pip_pin', { pkg: 'pytest==7.4.0' }, '/venv/bin/python -m pip install pytest==7.4.0'],
  [
    'or_upgrade_pkg',
    { name: 'setuptools', min_version: '61' },
    "/venv/bin/python -m pip install --upgrade 'setuptools>=61'",
  ],
  ['conda_install', { packages: 'gdal', channel: 'conda-forge' }, 'conda install -y -c conda-forge gdal'],
  ['npm_install', {}, 'npm install'],
  ['npm_install', { packages: ['@types/node@20', 'tape'] }, 'npm install --no-save @types/node@20 tape'],
  ['set_env', { key: 'A', value: 'x y' }, "export A='x y'"],
  ['set_env', { var: 'PATH', value: '/opt/x/bin:$PATH' }, 'export PATH="/opt/x/bin:${PATH}"'],
  ['shell', { command: 'ldconfig' }, 'ldconfig'],
  ['adjust_command', { modified_command: 'pytest -x' }, 'pytest -x'],
])('%s %j', (name, args, command) => {
  expect(render(name, args)).toEqual({ commands: [command], refused: [] });
});

test('a Debian package is refreshed, never asked about, and refused where there is no apt', () => {
  expect(render('apt_install', { packages: 'libpq-dev gcc' }).commands).toEqual([
    'apt-get update',
    'DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends libpq-dev gcc',
  ]);
  expect(render('apt_install', { name: 'gcc' }, { packageManager: 'apk' }).refused[0]).toContain('apk');
  expect(render('npm_install', {}, { node: 'pnpm' }).commands).toEqual(['pnpm install']);
  expect(render('npm_install', { name: 'tape' }, { node: 'yarn' }).commands).toEqual(['yarn add tape']);
  expect(render('conda_install', { name: 'gdal' }, { conda: false }).commands).toEqual([]);
});

const INJECTIONS = [
  'x; rm -rf /',
  '$(touch pwned)',
  '`touch pwned`',
  'x && touch pwned',
  "x' ; touch pwned; '",
  'x\ntouch pwned',
  '--index-url=http://evil',
  '-r/etc/passwd',
  'x|sh',
  '../../etc/passwd;id',
  '',
];
test.each(INJECTIONS)('a package named %j is refused by every manager', (name) => {
  for (const atom of [
    'pip_install',
    'pip_pin',
    'or_upgrade_pkg',
    'apt_install',
    'conda_install',
    'npm_install',
  ] as const) {
    const { commands, refused } = render(atom, { packages: [name], spec: '==1' });
    // What several words of a list make is several packages, none of which may be dangerous.
    expect([atom, name, commands.filter((each) => /pwned|rm -rf|evil|passwd|\bsh\b/.test(each))]).toEqual([
      atom,
      name,
      [],
    ]);
    if (name !== '' || atom !== 'npm_install') expect(refused).toHaveLength(1);
  }
});

test('names of variables, options, settings and masks are data too', () => {
  expect(render('set_env', { key: 'A;id', value: 'x' }).commands).toEqual([]);
  expect(render('set_pytest_flag', { name: '-p x; id', value: 'x' }).commands).toEqual([]);
  expect(render('set_umask', { value: '022; id' }).commands).toEqual([]);
  expect(render('set_django_setting', { key: 'A = 1\nimport os', value: 1 }).commands).toEqual([]);
  expect(render('shell', { cmd: 'rm -rf /' }).refused).toEqual(['shell: removes everything']);
  expect(render('shell', { cmd: 'rm -rf /tmp/x' }).commands).toEqual(['rm -rf /tmp/x']);
});

test('B8b: what an atom sets lasts for the commands that follow, not only for its own', () => {
  const set = (name: AtomName, args: Record<string, unknown>) => render(name, args).commands.join('\n');
  const pytest = set('set_pytest_flag', { name: 'timeout', value: '60' });
  const second = set('set_pytest_flag', { name: '-k', value: 'a b' });
  const out = bash(`${set('set_env', { key: 'LANG', value: 'C.UTF-8' })}\n${pytest}\n${second}
    bash -c 'echo "$LANG"; echo "$PYTEST_ADDOPTS"'`);
  expect(out).toBe("C.UTF-8\n--timeout=60 -k 'a b'\n");
});

test('a umask lasts for every bash that starts after it, beside a file that BASH_ENV named before', () => {
  const own = join(folder, 'own-env');
  writeFileSync(own, 'OWN=yes\n');
  const [command = ''] = render('set_umask', { value: '0027' }).commands;
  // The same twice must not lose the first file. The real path is the container's; here it is the test's.
  const here = command.replaceAll('/etc/pointsman', folder);
  expect(bash(`${here}\n${here}\nbash -c 'umask; echo $OWN'`, { BASH_ENV: own })).toBe('0027\nyes\n');
});

test('B8b: a Django setting is in a file that Django reads', () => {
  const value = { a: [1, 'x"\\', true, null] };
  const commands = renderAtoms(
    [
      { name: 'set_django_setting', args: { key: 'FIRST', value } },
      { name: 'set_django_setting', args: { key: 'DEBUG', value: 'True' } },
    ],
    GUEST,
  ).commands.map((each) => each.replaceAll('/opt/pointsman/django', join(folder, 'django')));
  writeFileSync(join(folder, 'shop.py'), '');
  const out = bash(`mkdir -p shop && echo 'KEPT = 7' > shop/settings.py && touch shop/__init__.py
    ${commands.join('\n')}
    python3 -c 'import os, importlib, sys, json; sys.path.append("."); m = importlib.import_module(os.environ["DJANGO_SETTINGS_MODULE"]); print(json.dumps([m.KEPT, m.FIRST, m.DEBUG]))'`);
  expect(JSON.parse(out)).toEqual([7, value, true]);
});

/** Text with everything that a shell could act on. */
const nasty = fc.string({ unit: fc.constantFrom(...'ab \'"`$(){}[];&|<>*?!#~\\=\n\t%-ä'), maxLength: 20 });

test('property: values reach the program as they were written, in real bash', () => {
  const values = fc.sample(
    nasty.filter((text) => !/\$(?:\{?[A-Za-z_])/.test(text)),
    300,
  );
  const script = values
    .map((value) => `${render('set_env', { key: 'V', value }).commands[0] ?? 'export V='}\nprintf '%s\\0' "$V"`)
    .join('\n');
  // A blank value is refused rather than guessed.
  const expected = values.map((value) => (value !== '' && value.trim() === '' ? '' : value));
  expect(bash(script).split('\0').slice(0, -1)).toEqual(expected);
});

test('property: what is rendered is one program with the arguments that were asked for, in real bash', () => {
  const word = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,8}[A-Za-z0-9]$/);
  const range = fc.constantFrom('', '==1.0', '>=1,<2', '~=1.4', '!=1.*', '<8');
  const requirement = fc.tuple(word, range).map(([name, spec]) => `${name}${spec}`);
  const atoms = fc.sample(fc.array(requirement, { minLength: 1, maxLength: 4 }), 200);
  const rendered = atoms.map((packages): [string[], string] => {
    const atom: Atom = { name: 'pip_install', args: { packages } };
    const { commands, refused } = renderAtoms([atom], { ...GUEST, python: 'my python' });
    expect(refused).toEqual([]);
    return [packages, commands[0]!];
  });
  // A function cannot have a space in its name: a program on PATH can.
  const program = join(folder, 'my python');
  writeFileSync(
    program,
    `#!/bin/bash\nprintf '%s\\0' "$@" >> ${join(folder, 'argv')}\nprintf '\\n' >> ${join(folder, 'argv')}\n`,
    { mode: 0o755 },
  );
  bash(rendered.map(([, command]) => command).join('\n'), { PATH: `${folder}:${process.env.PATH}` });
  const argv = readFileSync(join(folder, 'argv'), 'utf8').split('\n').slice(0, -1);
  expect(argv).toEqual(
    rendered.map(([packages]) => ['-m', 'pip', 'install', ...packages].map((each) => `${each}\0`).join('')),
  );
});
