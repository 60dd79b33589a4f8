import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { SetupDossier } from '../../../src/setup/roles/role';
import { checksOf } from '../../../src/setup/roles/rules/checks';
import { repositoriesOf } from '../../../src/setup/roles/rules/play';
import { observed, sampleCase } from './sample';

const folder = mkdtempSync(join(tmpdir(), 'checks-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What a repository that holds these files is accused of, by running the checks over it. */
function claims(
  files: Readonly<Record<string, string>>,
  built: (workdir: string) => void = () => {},
  steps: SetupDossier['seen'] = [],
): string[] {
  const workdir = mkdtempSync(join(folder, 'repository-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workdir, path)), { recursive: true });
    writeFileSync(join(workdir, path), text);
  }
  built(workdir);
  const [repository] = repositoriesOf({ ...sampleCase(files), workdir });
  return checksOf(repository!, [], steps).flatMap((check) => {
    const { stdout, status } = spawnSync('bash', ['-o', 'pipefail', '-c', check.command], { encoding: 'utf8' });
    return check.suspicions(observed(stdout, status)).map(({ claim }) => claim);
  });
}

const SETUP = 'from setuptools import setup\nsetup(name="yarn", version="1")\n';

test('a module that cannot be imported is a charge', () => {
  expect(
    claims({ 'setup.py': SETUP, 'yarn/__init__.py': '', 'spool/__init__.py': 'import nowhere_to_be_found' }),
  ).toEqual([expect.stringMatching(/spool.*nowhere_to_be_found/)]);
});

test('a module with an underscore is none where there are others: it may be the optional half in C', () => {
  const half = { '_yarn/__init__.py': 'raise ModuleNotFoundError("No module named \'_yarn\'")' };
  expect(claims({ 'setup.py': SETUP, 'yarn/__init__.py': '', ...half })).toEqual([]);
  expect(claims({ 'setup.py': SETUP, ...half })).toEqual([expect.stringMatching(/_yarn/)]);
});

test('what another language’s manifest declares is no distribution', () => {
  const crate = '[package]\nname = "yarn-core"\nversion = "1.0.0"\n[dependencies]\npyo3 = "0.20"\n';
  const files = { 'setup.py': SETUP, 'yarn/__init__.py': '', 'a.py': '', 'Cargo.toml': crate, 'src/lib.rs': '' };
  expect(claims(files)).toEqual([]);
});

test('a list of requirements that names what only the build needs is no charge', () => {
  const built = '[build-system]\nrequires = ["setuptools", "Spool>=3"]\nbuild-backend = "setuptools.build_meta"\n';
  const setup = 'from setuptools import setup\nsetup(name="yarn", install_requires=open("requirements.txt").read())\n';
  const files = { 'setup.py': setup, 'requirements.txt': 'spool>=3\n', 'yarn/__init__.py': '' };
  expect(claims({ ...files, 'pyproject.toml': built })).toEqual([]);
  expect(claims(files)).toEqual([expect.stringContaining('spool is declared')]);
});

test('a workspace of Go is looked at module by module', () => {
  const workspace = (body: string) => ({
    'go.work': 'go 1.21\n\nuse (\n\t./a\n\t./b\n)\n',
    'a/go.mod': 'module example.invalid/a\n\ngo 1.21\n',
    'a/a.go': 'package a\n',
    'b/go.mod': 'module example.invalid/b\n\ngo 1.21\n',
    'b/b.go': `package b\n\n${body}\n`,
  });
  expect(claims(workspace('var B = 1'))).toEqual([]);
  expect(claims(workspace('var B = missing'))).toEqual(['The packages do not build']);
});

describe('a program whose library is not there', () => {
  const FILES = { 'CMakeLists.txt': 'project(yarn C)\n', 'yarn.c': 'int main(void) { return 0; }\n' };
  /** One that the system has, and that asks for a library which nobody has. */
  const program = (path: string) => {
    writeFileSync(path, readFileSync('/bin/ls').toString('latin1').replaceAll('libc.so.6', 'libq.so.6'), 'latin1');
    chmodSync(path, 0o755);
  };
  const script = (path: string) => writeFileSync(path, '#!/bin/sh\n', { mode: 0o755 });

  test('is a charge, also beside scripts', () => {
    const built = (at: string) => [script(join(at, 'configure')), program(join(at, 'yarn'))];
    expect(claims(FILES, built)).toEqual(['A library that its programs are linked with is not there']);
    expect(claims(FILES, (at) => script(join(at, 'configure')))).toEqual([]);
  });

  test('is none where the library was built along, or the program came with the sources', () => {
    const along = (at: string) => [program(join(at, 'yarn')), writeFileSync(join(at, 'libq.so.6'), '')];
    expect(claims(FILES, along)).toEqual([]);
    expect(claims({ ...FILES, 'tests/old-yarn': '' }, (at) => program(join(at, 'tests/old-yarn')))).toEqual([]);
  });
});

test('what only a build could have used, and did without, is no charge; what a program needs is', () => {
  const files = {
    'setup.py': `${SETUP}requires = open("requirements.txt").read()\n`,
    'requirements.txt': 'Cython>=0.29.35,<0.29.36\nscikit-build-core==0.0.1\nnot-there-at-all\n',
    'yarn/__init__.py': '',
  };
  expect(claims(files)).toEqual([expect.stringMatching(/^not-there-at-all is declared/)]);
});

test.each([
  ['pip install -r requirements.txt', 'ERROR: Failed building wheel for pip', 1, 0],
  ['pip install -r requirements.txt', 'ERROR: Failed building wheel for other', 1, 1],
  ['pip install -r requirements.txt', 'Failed building wheel for pip, tried another', 0, 1],
  ['echo Failed building wheel for pip; false', 'Failed building wheel for pip', 1, 1],
])(
  'a version that %s could not bring (%s, %d) is %d charges: any other will do',
  (command, output, exitCode, charges) => {
    const files = {
      'setup.py': `${SETUP}requires = open("requirements.txt").read()\n`,
      'requirements.txt': 'pip==0.0.1\n',
      'yarn/__init__.py': '',
    };
    const move = { action: 'shell' as const, thought: '', command };
    const step = { turn: 1, undone: false, notes: [], move, observed: { exitCode, output, timedOut: false } };
    expect(claims(files, () => {}, [step])).toHaveLength(charges);
  },
);

test('Java is compiled at the level that the set-up had to name', () => {
  const files = {
    'pom.xml': '<project><artifactId>yarn</artifactId></project>',
    'src/main/java/Yarn.java': '',
    mvnw: 'case " $* " in *" -Dmaven.compiler.source=8 "*) ;; *) echo "Source option 5 is no longer supported. Use 7 or later."; exit 1;; esac\n',
  };
  const ran = (command: string, exitCode: number): SetupDossier['seen'] => [
    {
      move: { action: 'shell', command, thought: '' },
      observed: { exitCode, output: '', timedOut: false },
      turn: 1,
      undone: false,
      notes: [],
    },
  ];
  const level = '-Dmaven.compiler.source=8 -Dmaven.compiler.target=8';
  expect(claims(files)).toEqual(['It does not compile with what is there']);
  expect(claims(files, undefined, ran(`mvn -B test ${level} -Drat.skip`, 1))).toHaveLength(1);
  expect(claims(files, undefined, ran(`mvn -B test ${level} -Drat.skip`, 0))).toEqual([]);
});
