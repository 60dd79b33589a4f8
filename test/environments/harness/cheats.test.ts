import { randomUUID } from 'node:crypto';
import { openPython } from '@pointsman/python';
import { runCandidate, type Validation, validateHarness } from '../../../src/environments/harness/measure';
import { openHarnessRoom } from '../../../src/environments/harness/session';
import { placeCandidate, referenceOf } from '../../../src/problems/candidate';
import { judgeCandidate } from '../../../src/problems/equivalence/validity';
import { openSandboxes } from '../../../src/sandbox';
import { FULL } from '../../support/counts';
import { CHEATS, READERS } from './cheats';
import { type Bench, GROUPBY, toolzBench } from './groupby';

const sandboxes = openSandboxes('test');
const deps = { sandboxes };
const owner = { workflowId: `test/cheats/${randomUUID()}`, firstRunId: randomUUID() };
const { signal } = new AbortController();
let bench: Bench;
let valid: Validation;

beforeAll(async () => {
  bench = await toolzBench(deps, owner, 'groupby', { secondsPerCase: 1 });
  // Two cases: most of the time that this takes is cheats that wait for a deadline.
  const harness = { ...GROUPBY, cases: GROUPBY.cases.slice(0, 2) };
  valid = await validateHarness(deps, bench.bench, harness, 1, signal);
  expect(valid.troubles).toEqual([]);
  expect(valid.expected).toHaveLength(2);
});
afterAll(async () => {
  await sandboxes.removeAll(owner.firstRunId);
});

const judged = (candidate: string) => runCandidate(deps, bench.bench, { ...valid, candidate }, signal);

test('a function of another make passes, and so does the reference itself', async () => {
  const own =
    'def groupby(key, seq):\n    if not callable(key):\n        key = getter(key)\n    groups = {}\n    for item in seq:\n        groups.setdefault(key(item), []).append(item)\n    return groups\n';
  expect(await judged(own)).toMatchObject({ passed: true, verdict: 'passed', cases: { passed: 2, total: 2 } });
  expect(await judged(referenceOf(bench.module, bench.bench.subject.target)!)).toMatchObject({ passed: true });
});

// Otherwise that they fail below would prove nothing.
test.each(Object.entries(READERS))('in an environment that was not purged, %s is the answer', async (_name, source) => {
  const { image, profile, subject } = bench.bench;
  const placed = placeCandidate(await openPython(), bench.module, subject.target, source);
  if ('refused' in placed) throw new Error(placed.refused);
  const spec = { owner, role: 'unpurged', image, profile, python: subject.python };
  await openHarnessRoom(deps, spec, signal, async (room) => {
    const path = `${subject.workdir}/${subject.target.file}`;
    await room.write([{ path, bytes: Buffer.from(placed.text) }]);
    const cases = valid.harness.cases;
    const bounds = { keep: 10_000, observeCalls: 0, coverage: false, load: 0 };
    const request = { subject, harness: valid.harness.source, cases, seed: 0, secondsPerCase: 10, ...bounds };
    expect(judgeCandidate(valid.harness, valid.expected, await room.run(request)).detail).toBe('');
  });
});

// Many wait for a deadline: on a commit every fourth is tried.
test.each(Object.entries(CHEATS).filter((_, at) => FULL || at % 4 === 0))('%s does not pass', async (_name, source) => {
  const judgement = await judged(source);
  expect(judgement).toMatchObject({ passed: false });
  expect(judgement.verdict).not.toBe('misplaced');
  expect(judgement.detail).not.toBe('');
});
