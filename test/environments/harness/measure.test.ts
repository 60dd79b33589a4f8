import { randomUUID } from 'node:crypto';
import { openPython } from '@pointsman/python';
import Docker from 'dockerode';
import { HarnessGates } from '../../../src/contract';
import {
  measureHarness,
  runCandidate,
  type Validation,
  validateHarness,
} from '../../../src/environments/harness/measure';
import { ensurePurgedImage } from '../../../src/environments/harness/purge';
import { openHarnessRoom } from '../../../src/environments/harness/session';
import { ensureHarnessImage } from '../../../src/environments/harness/tools-image';
import { admits } from '../../../src/problems/equivalence/validity';
import { mutantsOf } from '../../../src/problems/mutation';
import { openSandboxes } from '../../../src/sandbox';
import { harnessOf } from './cases';
import { type Bench, GROUPBY, toolzBench } from './groupby';
import { toolzImage } from './toolz-image';

const docker = new Docker();
const sandboxes = openSandboxes('test');
const deps = { sandboxes };
const owner = { workflowId: `test/measure/${randomUUID()}`, firstRunId: randomUUID() };
const { signal } = new AbortController();
let bench: Bench;
let valid: Validation;

beforeAll(async () => {
  bench = await toolzBench(deps, owner, 'groupby');
  valid = await validateHarness(deps, bench.bench, GROUPBY, 5, signal);
}, 180_000);
afterAll(async () => {
  await sandboxes.removeAll(owner.firstRunId);
});

const validated = (bodies: Readonly<Record<string, string>>) =>
  validateHarness(deps, bench.bench, harnessOf(bodies), 2, signal);

test('a harness that says the same each time is valid, with coverage and calls', () => {
  expect(valid).toMatchObject({ valid: true, flaky: [], failures: [], troubles: [], repeats: 5 });
  expect(valid.harness.cases).toEqual(GROUPBY.cases);
  expect(valid.coverage).toMatchObject({ lines: { missed: [] }, branches: { missed: [] } });
  expect(valid.calls.map(({ arguments: all }) => all.map(({ name }) => name))).toContainEqual(['key', 'seq']);
});

test('the function passes as a candidate, a stub fails everywhere, and mutants are told apart', async () => {
  const mutants = mutantsOf(await openPython(), bench.module, bench.bench.subject.target, { max: 12, seed: 0 });
  expect(mutants.length).toBeGreaterThan(5);
  const { quality, harness, expected } = await measureHarness(deps, bench.bench, valid, mutants, signal);
  expect(quality).toMatchObject({ cases: 4, repeats: 5, oracle: 1, stub: 0, branchCoverage: 1, lineCoverage: 1 });
  expect(quality.mutationScore).toBe(1);
  expect(quality.mutants.map(({ id }) => id)).toEqual(mutants.map(({ id }) => id));
  expect(admits(quality, HarnessGates.parse({}))).toEqual([]);
  expect(harness.cases).toEqual(expected.map((each) => each.case));
});

test('cases that are not the same each time are taken out, and the rest stays', async () => {
  const validation = await validated({
    clock: 'import time\nreturn call(subject, len, ["a"]), time.time_ns()',
    hashes: 'return list(subject(len, {str(n) for n in range(40)})[1])',
    good: 'return call(subject, len, ["a", "bb"])',
  });
  expect(validation).toMatchObject({ valid: true, flaky: ['case_clock', 'case_hashes'], failures: ['flaky'] });
  expect(validation.harness.cases).toEqual(['case_good']);
});

test('a case that says nothing of the function is no test', async () => {
  expect(await validated({ other: 'return 1', none: 'subject(len, ["a"])' })).toMatchObject({
    valid: false,
    failures: ['no_cases'],
    expected: [],
  });
  const swallowed = await validated({
    swallow: 'try:\n    subject(len, ["a"])\nexcept Exception:\n    pass\nreturn 5',
    good: 'return call(subject, len, ["a", "bb"])',
  });
  expect(swallowed.harness.cases).toEqual(['case_swallow', 'case_good']);
  const { quality, harness } = await measureHarness(deps, bench.bench, swallowed, [], signal);
  expect(harness.cases).toEqual(['case_good']);
  expect(quality).toMatchObject({ cases: 1, oracle: 1, stub: 0, mutationScore: null });
});

test.each([
  ['def case_a(subject:\n    return 1\n', 'malformed'],
  ['def case_a(subject):\n    return subject(len, 5)\n', 'value_or_type'],
  ['import time\n\ndef case_a(subject):\n    time.sleep(60)\n', 'environment'],
])('%j fails as %s', async (source, failure) => {
  const harness = { ...GROUPBY, source, cases: ['case_a'] };
  const validation = await validateHarness(deps, bench.bench, harness, 0, signal);
  expect(validation).toMatchObject({ valid: false, failures: [failure] });
  expect(validation.troubles[0]!.message).not.toBe('');
});

test.each([
  [
    'different',
    'def groupby(key, seq):\n    return {1: list(seq)}\n',
    /^case_lengths:\ndef case_lengths[\s\S]*Expected: [\s\S]*Differs at/,
  ],
  ['raised', 'def groupby(key, seq):\n    return no_such_name\n', /NameError/],
  [
    'raised',
    'def groupby(key, seq, n=no_such_name):\n    return {}\n',
    /NameError: name 'no_such_name' is not defined/,
  ],
  ['timeout', 'def groupby(key, seq):\n    while True: pass\n', /did not end in its time/],
  ['crashed', 'import os\ndef groupby(key, seq):\n    os.abort()\n', /process ended/],
  ['misplaced', 'def group(key, seq):\n    return {}\n', /^it does not define groupby$/],
])('a candidate that is %s: %j', async (verdict, candidate, detail) => {
  const quick = { ...bench.bench, secondsPerCase: 1 };
  const judgement = await runCandidate(deps, quick, { ...valid, candidate }, signal);
  expect(judgement).toMatchObject({ passed: false, verdict, cases: { passed: 0, total: 4 } });
  expect(judgement.detail).toMatch(detail);
});

test('nothing of the function is left in a purged image, and it is made once', async () => {
  const { image, files } = await ensurePurgedImage(deps, bench.bench, signal);
  expect(files).toEqual(['/repo/toolz/itertoolz.py']);
  expect((await ensurePurgedImage(deps, bench.bench, signal)).image).toBe(image);
  const look = [
    'cd /repo && git log --oneline | wc -l && git status --short toolz/itertoolz.py | wc -l',
    'find / -xdev -type f -size -9M -not -path "/proc/*" -print0 | xargs -0 grep -lF "rv[k] = v.__self__" | wc -l',
    'find / -xdev \\( -name "toolz*.whl" -o -name "toolz*.tar.gz" -o -name "mirror.git" -o -name "test_itertoolz*" \\) | wc -l',
    'python3 -c "from toolz.itertoolz import frequencies; print(frequencies([1, 1]))"',
    'sed -n "/^def frequencies/,/^def/p" /usr/local/lib/python3*/dist-packages/toolz/itertoolz.py | grep -c return',
  ];
  const { profile, subject } = bench.bench;
  const spec = { owner, role: 'look', image, profile, python: subject.python };
  const said = await openHarnessRoom(deps, spec, signal, ({ sandbox }) =>
    sandbox.exec({ command: look.join('; '), cwd: '/repo', timeoutMs: 60_000 }),
  );
  expect(said.stdout.toString('utf8').trim().split('\n')).toEqual(['1', '0', '0', '0', '{1: 2}', '1']);
});

test('the tools are installed once, beside the environment', async () => {
  const question = { workdir: '/repo', importRoots: ['.'], modules: ['toolz.itertoolz', 'toolz.dicttoolz'] };
  const tools = await ensureHarnessImage(deps, owner, { image: await toolzImage(), ...question }, signal);
  expect(tools).toMatchObject({
    image: bench.bench.image,
    python: '/usr/bin/python3',
    importRoots: ['.'],
    failures: {},
  });
  expect(tools.files['toolz.itertoolz']).toBe('/repo/toolz/itertoolz.py');
  await expect(
    ensureHarnessImage(deps, owner, { image: 'pointsman/none:1', ...question }, signal),
  ).rejects.toMatchObject({ code: 'NotFound' });
});

test('cancelling ends a run and removes its container', async () => {
  const cancel = new AbortController();
  const harness = harnessOf({ slow: 'import time\ntime.sleep(60)\nreturn subject(len, [])' });
  const slow = { ...bench.bench, role: 'cancelled', secondsPerCase: 50 };
  const running = validateHarness(deps, slow, harness, 0, cancel.signal);
  setTimeout(() => cancel.abort(), 1500);
  await expect(running).rejects.toThrow();
  const filters = { label: [`pointsman.run=${owner.firstRunId}`] };
  const left = await docker.listContainers({ all: true, filters });
  expect(left.filter(({ Labels }) => Labels['pointsman.role']?.startsWith('cancelled'))).toEqual([]);
});
