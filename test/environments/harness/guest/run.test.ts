import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { CaseOutcome } from '../../../../src/contract';
import { RunLine, type RunRequest } from '../../../../src/environments/harness/protocol';
import { compareOutcomes } from '../../../../src/problems/equivalence/compare';
import { valueText } from '../../../../src/problems/equivalence/value-text';
import { ask, environment, subjectOf, workshop } from './support';

const run = promisify(execFile);

const MODULE = `
import functools


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)
    return wrapper


@logged
def scale(numbers, by=2, *rest, label=None):
    """Scales."""
    if numbers is None:
        raise ValueError("nothing to scale")
    if by == 0:
        return []
    return [one * by for one in numbers]


def pairs(numbers):
    for one in numbers:
        yield one, one


class Counter:
    def __init__(self, start=0):
        self.total = start

    def add(self, by):
        if by < 0:
            raise KeyError(by)
        self.total += by
        return self.total
`;

/** How long what a case leaves behind would sleep: a number by which it can be found. */
const OFFSPRING = `600.${process.pid}`;
const HARNESS = `
import os, random, signal, sys, tempfile, threading, time
from pointsman_cases import call

def case_returned(subject):
    return call(subject, [1, 2])

def case_raised(subject):
    return subject(None)

def case_changed(subject):
    numbers = [1]
    return call(lambda: numbers.append(subject(numbers)[0])), numbers

def case_left_silently(subject):
    os._exit(0)

def case_left_politely(subject):
    sys.exit(0)

def case_left_by_signal(subject):
    os.kill(os.getpid(), signal.SIGSEGV)

def case_hangs_with_offspring(subject):
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)
    time.sleep(600)

def case_forks(subject):
    for _ in range(30):
        if os.fork() == 0:
            os.setsid()
            os.execvp('sleep', ['sleep', '${OFFSPRING}'])
    return 1

def case_ends_its_parent(subject):
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(600)

def case_writes_to_all_descriptors(subject):
    for descriptor in range(3, 2048):
        try:
            os.write(descriptor, b'{"kind": "end"}\\n')
        except OSError:
            pass
    return subject([1])

def case_floods(subject):
    for _ in range(2000):
        print('x' * 10_000)
        sys.stderr.write('y' * 10_000)
    return 1

def case_files(subject):
    open('a.txt', 'w').write('from ' + os.getcwd())
    os.mkdir('sub')
    open('sub/b.bin', 'wb').write(b'\\xff')
    os.mkfifo('pipe')
    return os.listdir('.') and sorted(os.listdir('.')), os.environ['HOME'], tempfile.gettempdir()

def case_finds_nothing(subject):
    return os.listdir('.'), random.random()

def case_goes_too_deep(subject):
    def deeper(): return deeper()
    sys.setrecursionlimit(200)
    deeper()

def case_returns_too_much(subject):
    return ['x' * 9_000] * 5_000

def case_leaves_a_thread(subject):
    threading.Thread(target=time.sleep, args=(600,)).start()
    return 1

def case_does_not_use_it(subject):
    return 3

def case_lies(subject):
    class Equal:
        __class__ = property(lambda self: list)
        def __eq__(self, other): return True
        def __iter__(self): raise SystemExit
    return Equal()
`;
const CASES = [...HARNESS.matchAll(/^def (case_\w+)/gm)].map(([, name]) => name!);

const shop = workshop('run');
let tools: string | undefined;

beforeAll(async () => {
  shop.write('repo/pkg/__init__.py', '');
  shop.write('repo/pkg/scaling.py', MODULE);
  tools = (await environment(shop.folder))?.tools;
}, 240_000);
afterAll(() => shop.close());

async function runCases(changes: Partial<RunRequest> = {}): Promise<RunLine[]> {
  const request = {
    subject: subjectOf(`${shop.folder}/repo`, 'pkg.scaling', 'scale'),
    harness: HARNESS,
    cases: CASES,
    seed: 1,
    secondsPerCase: 3,
    keep: 10_000,
    observeCalls: 0,
    coverage: false,
    load: 0,
    ...changes,
  };
  return (await ask<unknown>('run', request)).map((line) => RunLine.parse(line));
}

function outcomes(lines: readonly RunLine[]): Map<string, CaseOutcome> {
  const found = lines.flatMap((line) => (line.kind === 'case' ? [line.outcome] : []));
  return new Map(found.map((outcome) => [outcome.case, outcome]));
}

test('each case has one outcome, whatever it does to its process', async () => {
  const lines = await runCases();
  expect(lines[0]).toMatchObject({ kind: 'began', file: expect.stringMatching(/pkg\/scaling\.py$/) });
  expect(lines.at(-1)).toEqual({ kind: 'end' });
  const found = outcomes(lines);
  expect(lines.filter(({ kind }) => kind === 'case').map((line) => line.kind === 'case' && line.outcome.case)).toEqual(
    CASES,
  );
  const statuses = Object.fromEntries([...found].map(([name, { status }]) => [name, status]));
  expect(statuses).toEqual({
    ...Object.fromEntries(CASES.map((name) => [name, 'returned'])),
    case_raised: 'raised',
    case_left_silently: 'crashed',
    case_left_politely: 'crashed',
    case_left_by_signal: 'crashed',
    case_hangs_with_offspring: 'timeout',
    case_ends_its_parent: 'crashed',
    case_goes_too_deep: 'raised',
    case_returns_too_much: 'crashed',
    // What it wrote went into its own answer, and nowhere else.
    case_writes_to_all_descriptors: 'crashed',
  });
  expect(found.get('case_left_by_signal')!.raised!.message).toContain('SIGSEGV');
  expect(found.get('case_goes_too_deep')!.raised!.type).toBe('RecursionError');
  expect(found.get('case_raised')!.raised).toMatchObject({ type: 'ValueError', message: 'nothing to scale' });
  expect(found.get('case_raised')!.raised!.trace).toContain('return subject(None)');
  expect(valueText(found.get('case_changed')!.value!)).toBe('(None, [1, 2])');
  expect(valueText(found.get('case_lies')!.value!)).toContain('Equal(');
  // 1 is its answer for none. What other programs of this machine were given as arguments may be of any length.
  await expect(run('pgrep', ['-fa', OFFSPRING])).rejects.toMatchObject({ code: 1, stdout: '' });
});

test('a case finds an empty directory, leaves files as data, and no name differs from run to run', async () => {
  const request = { cases: ['case_files', 'case_finds_nothing', 'case_floods'], seed: 5 };
  const [first, second] = [outcomes(await runCases(request)), outcomes(await runCases(request))];
  const files = first.get('case_files')!;
  expect(files.files).toEqual({ 'a.txt': 'from /scratch/work', 'sub/b.bin': { base64: '/w==' } });
  expect(valueText(files.value!)).toBe("(['a.txt', 'pipe', 'sub'], '/scratch/home', '/scratch/tmp')");
  expect(valueText(first.get('case_finds_nothing')!.value!)).toBe('([], 0.6229016948897019)');
  for (const [name, outcome] of first) expect(compareOutcomes(outcome, second.get(name)!)).toEqual({ equal: true });
});

test('calls of the subject are counted behind its decorator, and described', async () => {
  const lines = await runCases({ cases: ['case_returned', 'case_raised', 'case_does_not_use_it'], observeCalls: 5 });
  const found = outcomes(lines);
  expect([...found.values()].map(({ calls }) => calls)).toEqual([1, 1, 0]);
  const calls = lines.flatMap((line) => (line.kind === 'calls' ? line.calls : []));
  expect(calls).toEqual([
    {
      arguments: [
        { name: 'numbers', type: 'list[int]', repr: '[1, 2]' },
        { name: 'by', type: 'int', repr: '2' },
        { name: 'rest', type: 'tuple', repr: '()' },
        { name: 'label', type: 'None', repr: 'None' },
      ],
      returned: { type: 'list[int]', repr: '[2, 4]' },
      raised: null,
    },
    expect.objectContaining({ returned: null, raised: 'ValueError' }),
  ]);
});

test('a method is reached through its class', async () => {
  const harness = `
from pointsman_cases import call

def case_add(subject):
    counter = subject(2)
    return call(counter.add, 3)
`;
  const subject = subjectOf(`${shop.folder}/repo`, 'pkg.scaling', 'Counter.add', 'method');
  const found = outcomes(await runCases({ subject, harness, cases: ['case_add'] })).get('case_add')!;
  expect(found.calls).toBe(1);
  expect(valueText(found.value!)).toBe('<returned=5, changed self=pkg.scaling.Counter(total=5)>');
});

test('coverage is of the body alone, added up over the processes of all cases', async () => {
  if (!tools) return;
  const lines = await runCases({
    coverage: true,
    tools,
    cases: ['case_returned', 'case_raised', 'case_left_silently'],
  });
  expect(lines.find((line) => line.kind === 'coverage')).toEqual({
    kind: 'coverage',
    coverage: {
      lines: { total: 5, covered: 4, missed: [18] },
      branches: { total: 4, covered: 3, missed: [[17, 18]] },
    },
  });
});

test.each([
  ['subject', { subject: subjectOf('REPO', 'pkg.nothing', 'f') }, 'ModuleNotFoundError'],
  ['subject', { subject: subjectOf('REPO', 'pkg.leaves', 'f') }, ''],
  ['harness', { harness: 'import nowhere_to_be_found' }, 'ModuleNotFoundError'],
  ['harness', { harness: 'def case_a(:\n' }, 'SyntaxError'],
  ['harness', { harness: 'import os; os._exit(0)' }, ''],
])('what cannot be imported is said, and no case is run: %s', async (stage, changes, type) => {
  shop.write('repo/pkg/leaves.py', 'import os\nos._exit(0)\n');
  const request = JSON.parse(JSON.stringify(changes).replaceAll('REPO', `${shop.folder}/repo`));
  expect(await runCases(request)).toEqual([expect.objectContaining({ kind: 'unusable', stage, type })]);
});

test('a generator is seen at work although it works only when its values are looked at', async () => {
  const harness = `
from pointsman_cases import call

def case_lazy(subject):
    return subject([1, 2])

def case_called(subject):
    return call(subject, [1])
`;
  const lines = await runCases({
    subject: subjectOf(`${shop.folder}/repo`, 'pkg.scaling', 'pairs'),
    harness,
    cases: ['case_lazy', 'case_called'],
  });
  const found = outcomes(lines);
  expect(found.get('case_lazy')).toMatchObject({ status: 'returned', calls: 1 });
  expect(found.get('case_called')).toMatchObject({ status: 'returned', calls: 1 });
});
