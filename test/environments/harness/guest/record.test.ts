import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FunctionTarget } from '../../../../src/contract';
import { RecordLine, type RecordRequest } from '../../../../src/environments/harness/protocol';
import { FULL } from '../../../support/counts';
import { figures } from '../../../support/figures';
import { ask, environment, source, subjectOf, workshop } from './support';

const run = promisify(execFile);
const shop = workshop('record');
let made: { python: string; tools: string } | null = null;

beforeAll(async () => {
  made = await environment(shop.folder, 'freezegun', 'pytest-xdist');
}, 240_000);
afterAll(() => shop.close());

async function record(request: RecordRequest): Promise<RecordLine[]> {
  return (await ask<unknown>('record', request, { python: made!.python })).map((line) => RecordLine.parse(line));
}

type Recorded = Extract<RecordLine, { kind: 'function' }>;
const functionsOf = (lines: readonly RecordLine[]) =>
  lines.filter((line): line is Recorded => line.kind === 'function');
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

/** All functions at the top of modules, and methods of classes there, that have a name of their own. */
async function subjectsOf(workdir: string, root: string, modules: readonly string[]) {
  const script = `
import ast, json, sys
print(json.dumps([
    [node.name, 'function'] if isinstance(node, ast.FunctionDef) else [node.name + '.' + one.name, 'method']
    for node in ast.parse(sys.stdin.read()).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    for one in ([node] if isinstance(node, ast.FunctionDef) else node.body)
    if isinstance(one, ast.FunctionDef) and not one.name.startswith('__') and (one is node or not one.decorator_list)
]))`;
  const found = await Promise.all(
    modules.map(async (module) => {
      const path = join(workdir, root, `${module.replaceAll('.', '/')}`);
      const text = readFileSync(module.includes('.') ? `${path}.py` : `${path}/__init__.py`, 'utf8');
      const parsing = run('python3', ['-c', script]);
      parsing.child.stdin!.end(text);
      const names: [string, FunctionTarget['kind']][] = JSON.parse((await parsing).stdout);
      return names.map(([name, kind]) => subjectOf(workdir, module, name, kind, root));
    }),
  );
  return found.flat();
}

/** What pytest says that its tests took. */
function secondsOf(line: RecordLine): number {
  return line.kind === 'end' ? Number(/ in ([\d.]+)s/.exec(line.output)?.[1]) : Number.NaN;
}

interface Package {
  readonly name: string;
  readonly version: string;
  readonly root: string;
  readonly tests: string;
  readonly modules: readonly string[];
  readonly functions: number;
  readonly calls: number;
  /** Functions that their own tests give the time of day or chance, so that no two runs call them alike. */
  readonly drawn: readonly string[];
}

const PACKAGES: readonly Package[] = [
  {
    name: 'inflection',
    version: '0.5.1',
    root: '.',
    tests: '',
    modules: ['inflection'],
    functions: 13,
    calls: 90,
    drawn: [],
  },
  {
    name: 'toolz',
    version: '0.12.1',
    root: '.',
    tests: 'toolz',
    modules: ['toolz.itertoolz', 'toolz.dicttoolz', 'toolz.recipes', 'toolz.functoolz'],
    functions: 75,
    calls: 500,
    drawn: ['random_sample'],
  },
  {
    name: 'humanize',
    version: '4.12.2',
    root: 'src',
    tests: '',
    modules: ['humanize.number', 'humanize.time', 'humanize.filesize', 'humanize.lists'],
    functions: 24,
    calls: 300,
    drawn: ['_date_and_delta'],
  },
  {
    name: 'h11',
    version: '0.15.0',
    root: '.',
    // One of its files talks to a server on whatever port is free, with the time of day in its headers.
    tests: 'h11 --ignore h11/tests/test_against_stdlib_http.py',
    modules: ['h11._headers', 'h11._connection', 'h11._readers', 'h11._state', 'h11._receivebuffer'],
    functions: 30,
    calls: 400,
    drawn: [],
  },
];

// All four take minutes; one of them shows what the others do.
test.each(FULL ? PACKAGES : PACKAGES.slice(0, 1))(
  '$name: its own tests give calls that come back, the same ones each time',
  async ({ name, version, root, tests, modules, functions, calls, drawn }) => {
    if (!made) return;
    const workdir = await source(shop.folder, name, version);
    const subjects = await subjectsOf(workdir, root, modules);
    const testCommand = `PYTHONPATH=${root}:$PYTHONPATH ${made.python} -m pytest -q -p no:cacheprovider ${tests}`;
    const request = { workdir, importRoots: [root], subjects, testCommand, callsPerFunction: 24, seconds: 120 };
    const plain = await run('sh', ['-c', testCommand], {
      cwd: workdir,
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    });
    const first = await record(request);
    const second = await record(request);

    const recorded = functionsOf(first);
    const called = recorded.filter(({ seen }) => seen > 0);
    const kept = sum(recorded.map((one) => one.calls.length));
    const dropped = sum(recorded.flatMap((one) => Object.values(one.dropped)));
    figures(name, {
      functions: recorded.length,
      called: called.length,
      withCalls: recorded.filter((one) => one.calls.length > 0).length,
      seen: sum(recorded.map(({ seen }) => seen)),
      kept,
      dropped,
      slowDown: secondsOf(first.at(-1)!) / secondsOf({ kind: 'end', exitCode: 0, output: plain.stdout }),
    });
    expect(first.at(-1)).toMatchObject({ kind: 'end', exitCode: 0 });
    expect(recorded.map((one) => one.name)).toEqual(subjects.map(({ target }) => target.name));
    expect(called.length).toBeGreaterThanOrEqual(functions);
    expect(kept).toBeGreaterThanOrEqual(calls);
    const again = functionsOf(second);
    const differ = recorded.filter((one, at) => JSON.stringify(one) !== JSON.stringify(again[at]));
    expect(differ.map((one) => one.name).filter((each) => !drawn.includes(each))).toEqual([]);
  },
  300_000,
);

const LIBRARY = `
class Account:
    def __init__(self, owner):
        self.owner = owner
        self.entries = []

    def book(self, amount, note=None, *, date=None):
        self.entries.append((amount, note, date))
        return sum(entry[0] for entry in self.entries)

    @classmethod
    def empty(cls, owner):
        return cls(owner)

    @staticmethod
    def rounded(amount, *digits):
        return round(amount, *digits)

    @property
    def total(self):
        return sum(entry[0] for entry in self.entries)


def applied(function, values):
    return [function(one) for one in values]


def read(path):
    with open(path) as file:
        return file.read().upper()


def first(values):
    return next(iter(values))
`;

const TESTS = `
import datetime
import subprocess
import sys
import unittest

from library import Account, applied, first, read


def twice(x):
    return 2 * x


class Odd:
    pass


class Library(unittest.TestCase):
    def test_account(self):
        account = Account('me')
        account.book(1)
        account.book(2, 'rent', date=datetime.date(2020, 1, 2))
        self.assertEqual(account.total, 3)
        Account.empty('you')
        Account.rounded(1.25, 1)

    def test_functions(self):
        by = 3
        applied(twice, [1])
        applied(lambda x: x * by, (1, 2))
        applied(str, {1})
        applied(Odd, [])
        first(iter([1, 2]))
        first(x for x in [3, 4])

    def test_file(self):
        import os, tempfile
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'a.txt')
            with open(path, 'w') as file:
                file.write('hello')
            read(path)

    def test_elsewhere(self):
        subprocess.run([sys.executable, '-c', 'import library; library.applied(len, ["of another process"])'], check=True)
`;

test('methods, functions of tests, iterators, files and other processes', async () => {
  if (!made) return;
  const workdir = join(shop.folder, 'library');
  shop.write('library/library.py', LIBRARY);
  shop.write('library/test_library.py', TESTS);
  const subject = (name: string, kind: FunctionTarget['kind'] = 'function') =>
    subjectOf(workdir, 'library', name, kind);
  const subjects = [
    subject('Account.book', 'method'),
    subject('Account.total', 'method'),
    subject('Account.empty', 'classmethod'),
    subject('Account.rounded', 'staticmethod'),
    subject('applied'),
    subject('first'),
    subject('read'),
  ];
  const lines = await record({
    workdir,
    importRoots: ['.'],
    subjects,
    testCommand: `${made.python} -m unittest -q`,
    callsPerFunction: 10,
    seconds: 60,
  });
  const bodies = new Map(functionsOf(lines).map((one) => [one.name, one.calls.map(({ body }) => body.join('; '))]));
  expect(bodies.get('Account.book')).toEqual([
    "return call(subject.book, rebuild(library.Account, {'entries': [], 'owner': 'me'}), 1)",
    "return call(subject.book, rebuild(library.Account, {'entries': [(1, None, None)], 'owner': 'me'}), 2, 'rent', date=datetime.date(2020, 1, 2))",
  ]);
  expect(bodies.get('Account.total')).toHaveLength(1);
  expect(bodies.get('Account.empty')).toEqual(["return call(subject.empty, 'you')"]);
  expect(bodies.get('Account.rounded')).toEqual(['return call(subject.rounded, 1.25, 1)']);
  expect(bodies.get('applied')!.sort()).toEqual([
    'def make_twice_1():\n    def twice(x):\n        return 2 * x\n    return twice; return call(subject, make_twice_1(), [1])',
    'return call(subject, (lambda by: lambda x: x * by)(by=3), (1, 2))',
    "return call(subject, len, ['of another process'])",
    'return call(subject, str, {1})',
  ]);
  expect(functionsOf(lines).find(({ name }) => name === 'applied')!.dropped).toEqual({
    'test_library.Odd cannot be imported without the tests': 1,
  });
  expect(bodies.get('first')!.sort()).toEqual([
    'return call(subject, iter([1, 2]))',
    'return call(subject, iter([3, 4]))',
  ]);
  expect(bodies.get('read')).toEqual(["return call(subject, str(text_file('a.txt', 'hello')))"]);
  expect(functionsOf(lines)[0]!.calls[0]!.test).toBe('test_library.Library.test_account');
});

test('tests that fail, hang or do not exist leave what was seen until then', async () => {
  if (!made) return;
  const workdir = join(shop.folder, 'hanging');
  shop.write('hanging/library.py', LIBRARY);
  const code = 'import library, time; library.first([1]); time.sleep(600)';
  const lines = await record({
    workdir,
    importRoots: ['.'],
    subjects: [subjectOf(workdir, 'library', 'first')],
    testCommand: `${made.python} -c '${code}'`,
    callsPerFunction: 10,
    seconds: 5,
  });
  expect(lines).toEqual([
    expect.objectContaining({ seen: 1, calls: [expect.objectContaining({ body: ['return call(subject, [1])'] })] }),
    expect.objectContaining({ kind: 'end', exitCode: null }),
  ]);
});
