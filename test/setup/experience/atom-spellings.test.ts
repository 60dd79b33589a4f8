import { spawnSync } from 'node:child_process';
import type { AtomName, GuestFacts } from '../../../src/contract';
import { renderAtoms } from '../../../src/setup/experience';

const GUEST: GuestFacts = {
  python: 'python3',
  venv: null,
  packageManager: 'apt',
  node: 'npm',
  conda: true,
  workdir: '/repo',
};
const render = (name: AtomName, args: Record<string, unknown>, guest: Partial<GuestFacts> = {}) =>
  renderAtoms([{ name, args }], { ...GUEST, ...guest });
/** The last command alone: apt refreshes its lists before. */
const last = (name: AtomName, args: Record<string, unknown>) => {
  const { commands, refused } = render(name, args);
  expect([name, args, refused]).toEqual([name, args, []]);
  return commands.at(-1);
};

const APT = 'DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends';
const MANAGERS = [
  ['pip_install', {}, 'python3 -m pip install foo', 'python3 -m pip install foo==1.2.3'],
  ['apt_install', {}, `${APT} foo`, `${APT} foo=1.2.3`],
  ['conda_install', {}, 'conda install -y foo', 'conda install -y foo=1.2.3'],
  ['npm_install', {}, 'npm install --no-save foo', 'npm install --no-save foo@1.2.3'],
] as const;

describe.each(MANAGERS)('%s %j', (atom, more, bare, pinned) => {
  test.each(['name', 'package', 'packages', 'pkg'])('takes a package as "%s", as text and as a list', (spelling) => {
    for (const value of ['foo', ['foo'], ' foo ']) expect(last(atom, { ...more, [spelling]: value })).toBe(bare);
    for (const value of ['foo bar', 'foo, bar', ['foo', 'bar'], ['foo bar']])
      expect(last(atom, { ...more, [spelling]: value })).toBe(`${bare} bar`);
  });

  test.each(['spec', 'version'])('takes its version as "%s"', (spelling) => {
    for (const version of ['1.2.3', '==1.2.3', ['1.2.3']]) {
      const command = last(atom, { ...more, name: 'foo', [spelling]: version });
      expect(command?.replace('foo==1.2.3', 'foo=1.2.3')).toBe(pinned.replace('foo==1.2.3', 'foo=1.2.3'));
    }
    for (const version of ['', 'latest', '*', null])
      expect(last(atom, { ...more, name: 'foo', [spelling]: version })?.replace('@latest', '')).toBe(bare);
    const both = last(atom, { ...more, packages: ['foo', 'foo'], [spelling]: ['1.2.3', '1.2.3'] });
    expect(both).toBe(`${pinned} ${pinned.split(' ').at(-1)}`);
    expect(render(atom, { ...more, packages: ['foo', 'bar'], [spelling]: '1' }).commands).toEqual([]);
    expect(render(atom, { ...more, name: 'foo', [spelling]: '1; touch pwned' }).commands).toEqual([]);
    expect(render(atom, { ...more, name: 'foo', [spelling]: '$(id)' }).commands).toEqual([]);
    expect(render(atom, { ...more, name: 'foo', [spelling]: { at: 1 } }).commands).toEqual([]);
  });
});

test.each<[AtomName, Record<string, unknown>, string]>([
  ['npm_install', { name: 'foo', spec: '^1.2' }, "npm install --no-save 'foo@^1.2'"],
  ['npm_install', { name: '@a/foo', spec: '>=1.2,<2' }, "npm install --no-save '@a/foo@>=1.2 <2'"],
  ['npm_install', { name: 'foo@1', version: '2' }, 'npm install --no-save foo@1'],
  ['npm_install', { name: 'foo', version: 'latest' }, 'npm install --no-save foo@latest'],
  ['npm_install', { name: 'foo', min_version: '1.2.3' }, "npm install --no-save 'foo@>=1.2.3'"],
  ['conda_install', { name: 'foo', spec: '>=1.2,<2' }, "conda install -y 'foo>=1.2,<2'"],
  ['conda_install', { name: 'foo', min_version: '1.2.3' }, "conda install -y 'foo>=1.2.3'"],
  // apt knows one version or the newest, so a minimum is the newest.
  ['apt_install', { name: 'foo', spec: '>=1.2' }, `${APT} foo`],
  ['apt_install', { name: 'foo', min_version: '1.2.3' }, `${APT} foo`],
  ['apt_install', { name: 'foo', version: '1:1.2.3-4+deb12u1' }, `${APT} foo=1:1.2.3-4+deb12u1`],
  ['apt_install', { name: 'foo', version: '1.2.*' }, `${APT} 'foo=1.2.*'`],
  ['pip_install', { name: 'foo', min_version: '1.2.3' }, "python3 -m pip install 'foo>=1.2.3'"],
  ['pip_install', { name: 'foo', spec: ['>=1', '<2'] }, "python3 -m pip install 'foo>=1,<2'"],
  ['pip_install', { name: 'foo', version: 2 }, 'python3 -m pip install foo==2'],
  ['or_upgrade_pkg', { package: 'foo', version: '2' }, "python3 -m pip install --upgrade 'foo>=2'"],
  ['or_upgrade_pkg', { manager: 'npm', pkg: 'foo', min_version: '2' }, "npm install --no-save 'foo@>=2'"],
  ['or_upgrade_pkg', { manager: 'conda', name: 'foo', min_version: '2' }, "conda install -y 'foo>=2'"],
  ['or_upgrade_pkg', { package_manager: 'apt', package_name: 'foo', min_version: '2' }, `${APT} foo`],
  ['or_upgrade_pkg', { package_manager: 'apt', packages: 'foo', spec: '==2' }, `${APT} foo=2`],
  // What pip itself calls requirements.
  ['pip_install', { packages: '-e .' }, 'python3 -m pip install -e .'],
  ['pip_install', { packages: '-e .[dev, test]' }, "python3 -m pip install -e '.[dev,test]'"],
  ['pip_install', { packages: ['-e', './core', 'foo'] }, 'python3 -m pip install -e ./core foo'],
  ['pip_install', { packages: '--editable=.' }, 'python3 -m pip install --editable=.'],
  ['pip_install', { packages: '.' }, 'python3 -m pip install .'],
  ['pip_install', { packages: '.[test]' }, "python3 -m pip install '.[test]'"],
  ['pip_install', { packages: '-r requirements.txt' }, 'python3 -m pip install -r requirements.txt'],
  [
    'pip_install',
    { name: ['-rreq/dev.txt', '-c', 'limits.txt'] },
    'python3 -m pip install -rreq/dev.txt -c limits.txt',
  ],
  ['set_umask', { value: '0o022' }, 'umask 0022'],
  ['set_env', { var: 'A', value: ['b'] }, 'export A=b'],
  ['set_env', { key: ['A'], value: 'b' }, 'export A=b'],
])('%s %j', (name, args, command) => {
  expect(last(name, args)?.replace(/^.*&& (umask \d+)$/s, '$1')).toBe(command);
});

test.each([
  '-e ..',
  '-e ../other',
  '-e ./../other',
  '-e ./a/../../other',
  '-e /etc',
  '-r /etc/passwd',
  '-r ../requirements.txt',
  '-r a/../../x.txt',
  '-r$(id)',
  '-r a;id',
  '-e',
  '-r',
  '../other',
  './../other',
  '--index-url http://evil',
  '-i http://evil',
  '--target=/usr',
])('pip_install refuses %j', (packages) => {
  expect(render('pip_install', { packages }).commands).toEqual([]);
});

test('a version that a manager cannot say is refused with the reason', () => {
  expect(render('apt_install', { name: 'foo', spec: '<2' }).refused[0]).toContain('apt');
  expect(render('npm_install', { name: 'foo', spec: '~=2.0' }).refused[0]).toContain('npm');
});

/** What pytest's own splitting makes of PYTEST_ADDOPTS. */
function words(args: Record<string, unknown>): string[] {
  const { commands, refused } = render('set_pytest_flag', args);
  expect(refused).toEqual([]);
  const python = `import os, shlex, json; print(json.dumps(shlex.split(os.environ["PYTEST_ADDOPTS"])))`;
  const ran = spawnSync('bash', ['-ec', `${commands.join('\n')}\npython3 -c '${python}'`], {
    env: { PATH: process.env.PATH! },
    encoding: 'utf8',
  });
  return JSON.parse(ran.stdout) as string[];
}
test.each<[Record<string, unknown>, string[]]>([
  [{ flag: '-o asyncio_mode=auto' }, ['-o', 'asyncio_mode=auto']],
  [{ flag: '--timeout 60' }, ['--timeout', '60']],
  [{ flags: ['-p', 'no:cacheprovider', '--strict-markers'] }, ['-p', 'no:cacheprovider', '--strict-markers']],
  [{ options: ['-o a=b', '--color=no'] }, ['-o', 'a=b', '--color=no']],
  [{ option: '-k "a and b"' }, ['-k', 'a and b']],
  [{ name: 'timeout', value: 60 }, ['--timeout=60']],
  [{ name: '-W', value: ['ignore::X'] }, ['-W', 'ignore::X']],
])('set_pytest_flag %j', (args, expected) => {
  expect(words(args)).toEqual(expected);
});
test.each([{ flag: '-p x y' }, { flag: '-p x', value: 'y' }, { flag: '--a=b c' }, { flags: [] }])(
  'set_pytest_flag refuses %j',
  (args) => expect(render('set_pytest_flag', args).commands).toEqual([]),
);

test.each<[AtomName, Record<string, unknown>, string]>([
  ['shell', { commands: ['a', 'b'] }, 'a && b'],
  ['shell', { cmds: ['a'] }, 'a'],
  ['shell', { cmd: ['a', 'b || c'] }, 'a && b || c'],
  ['shell', { commands: 'make' }, 'make'],
  ['adjust_command', { commands: ['a', 'b'] }, 'a && b'],
])('%s %j', (name, args, command) => {
  expect(last(name, args)).toBe(command);
});

test('joined commands run one after the other, whatever each of them is', () => {
  const commands = ['echo one # a comment', 'cat <<E\ntwo\nE', 'echo three;', 'true &', 'false', 'echo never'];
  const ran = spawnSync('bash', ['-c', last('shell', { commands })!], { encoding: 'utf8' });
  expect([ran.stdout, ran.stderr, ran.status]).toEqual(['one\ntwo\nthree\n', '', 1]);
});
