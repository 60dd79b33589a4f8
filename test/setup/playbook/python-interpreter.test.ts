import { buildingsIn } from '../../../src/setup/playbook/ecosystems/python-interpreter';
import { remedyFor } from './remedy-for';

const STAMP = {
  'pyproject.toml': '[build-system]\nrequires=["setuptools"]\n[project]\nname="stamp"\n',
  'stamp/__init__.py': '',
  'tests/test_a.py': '',
};
const differs = (condition: string) =>
  `ERROR: Package 'stamp' requires a different Python: 3.11.2 not in '${condition}'`;

test.each([
  ['>=3.12', '3.13'],
  ['<4.0,>=3.12', '3.13'],
  ['<3.15,>=3.14', '3.14'],
  ['<3.11,>=3.7', '3.9'],
  ['>=3.15', '3.15'],
])('a project that wants Python %s gets %s, and what had been asked for in it', (condition, version) => {
  const command = remedyFor(STAMP, 'python/project', differs(condition));
  expect(command).toContain(`python${version} -m venv --clear /venv`);
  expect(command).toContain(`source --download-only python${version} `);
  expect(command).toContain('pip install -q $asked; }');
});

test('what a command builds is the same for every project, and nothing of the project', () => {
  const remedy = remedyFor(STAMP, 'python/project', differs('>=3.13'));
  const other = remedyFor({ ...STAMP, 'setup.cfg': '' }, 'python/project', differs('<4,>=3.13'));
  const [building, ...more] = buildingsIn(remedy);
  expect(more).toEqual([]);
  expect(building).toMatchObject({ program: 'python3.13', archive: '/var/tmp/python-3.13.tar.gz' });
  expect(buildingsIn(other)).toEqual([building]);
  expect(building!.script).not.toMatch(/stamp|venv|pip install/);
  expect(buildingsIn(`${remedy}\n${other}`)).toEqual([building]);
  expect(buildingsIn('make -s -j 2 && make altinstall')).toEqual([]);
});

test('no interpreter is made up', () => {
  expect(remedyFor(STAMP, 'python/project', differs('==3.12.*'))).not.toContain('venv --clear');
});

const FROM_COLLECTIONS = "ImportError: cannot import name 'Mapping' from 'collections' (/usr/lib/python3.11/…)";
const at = (place: string, said: string) => `${place}:3: in <module>\n    import odd\nE   ${said}`;

test.each([
  [FROM_COLLECTIONS, '3.9'],
  ["AttributeError: module 'collections' has no attribute 'MutableMapping'", '3.9'],
  ["AttributeError: module 'inspect' has no attribute 'getargspec'", '3.9'],
  ["ValueError: mutable default <class 'stamp.Ink'> for field ink is not allowed: use default_factory", '3.9'],
  ["ModuleNotFoundError: No module named 'imp'", '3.11'],
  ["ModuleNotFoundError: No module named 'telnetlib'", '3.11'],
])('what Python took out is there in an older one, where nothing else helps: %s', (said, version) => {
  expect(remedyFor(STAMP, 'verify', at('stamp/ink.py', said))).toContain(`python${version} -m venv --clear`);
  expect(remedyFor(STAMP, 'verify', at('/venv/lib/python3.11/site-packages/ink/a.py', said))).not.toContain('--clear');
  expect(remedyFor(STAMP, 'python/tests', at('stamp/ink.py', said))).toBe('verify');
});
