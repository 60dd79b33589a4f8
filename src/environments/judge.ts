import { createHash, randomBytes, randomInt } from 'node:crypto';
import type { Flag, GradeResult, Problem, TestOutcome } from '../contract';
import { type Canary, makeCanaries } from '../problems/canaries';
import { readEvidence, wasRun } from '../problems/evidence';
import { readJunit } from '../problems/junit';
import { type Outcomes, resolves, tally } from '../problems/outcomes';
import { hiddenPaths, testRoots } from '../problems/test-files';
import { guestProgram } from '../sandbox/guest';
import type { GuestResult, Sandbox } from '../sandbox/sandbox';
import type { BlobStore } from '../store/blobs';
import { applyCandidate, mustRun, placeTests } from './candidate';

interface Run {
  readonly outcomes: Outcomes;
  readonly flags: Flag[];
  readonly forged: Flag[];
  readonly complete: boolean;
  readonly raw: GuestResult;
}

/**
 * Judges a patch in a fresh container without network: patch, then the problem's tests over it, then the tests. The
 * caller makes the container and removes it. What the verdict rests on left the container while the tests ran.
 */
export async function judge(
  sandbox: Sandbox,
  problem: Problem,
  patch: string,
  blobs: BlobStore,
  signal: AbortSignal,
): Promise<GradeResult> {
  const began = Date.now();
  const applied = await applyCandidate(sandbox, problem, patch);
  if (applied.failure !== undefined) {
    return result(problem, blobs, began, 'patch_failed', {}, applied.flags, applied.failure);
  }
  await placeTests(sandbox, problem, blobs);
  const watched = [...testRoots(problem), ...hiddenPaths(problem)];
  const before = await digests(sandbox, problem.workdir, watched);
  const run =
    problem.tests.parser.kind === 'pytest'
      ? await runPytest(sandbox, problem, before, signal)
      : await runJunit(sandbox, problem, problem.tests.parser.report, signal);
  await sandbox.assertAlive(run.raw.exitCode, 'grading');
  const after = await digests(sandbox, problem.workdir, watched);
  const changed = [...before].filter(([path, digest]) => after.get(path) !== digest).map(([path]) => path);
  const forged =
    changed.length > 0
      ? [...run.forged, { kind: 'tests_changed', detail: changed.slice(0, 5).join(', ') }]
      : run.forged;
  const flags = [...applied.flags, ...run.flags, ...forged];
  const verdict = verdictOf(run, forged);
  const log = Buffer.concat([run.raw.stderr, problem.tests.parser.kind === 'junit' ? run.raw.stdout : Buffer.alloc(0)]);
  return result(problem, blobs, began, verdict, run.outcomes, flags, log, run.complete);
}

function verdictOf(run: Run, forged: readonly Flag[]): GradeResult['verdict'] {
  if (forged.length > 0) return 'tampered';
  if (run.raw.exitCode === null) return 'timed_out';
  return !Object.keys(run.outcomes).some(wasRun) ? 'no_tests' : 'graded';
}

async function runPytest(
  sandbox: Sandbox,
  problem: Problem,
  tests: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<Run> {
  const { workdir } = problem;
  const ids = [...problem.tests.failToPass, ...problem.tests.passToPass];
  const beside = ids.length > 0 ? ids : hiddenPaths(problem);
  const canaries = makeCanaries(
    beside.filter((id) => !id.endsWith('conftest.py')),
    () => randomInt(2 ** 32) / 2 ** 32,
  );
  const secret = randomBytes(32).toString('hex');
  const module = `m${randomBytes(10).toString('hex')}`;
  const folder = `/opt/${randomBytes(10).toString('hex')}`;
  await sandbox.write([
    ...canaries.map((canary) => ({ path: `${workdir}/${canary.path}`, bytes: Buffer.from(canary.text) })),
    { path: `${folder}/${module}.py`, bytes: Buffer.from(guestProgram('witness.py')) },
  ]);
  const manifest = {
    secret,
    workdir,
    canaries: canaries.map((canary) => canary.path),
    files: [...tests.keys()].filter((path) => path.endsWith('.py')),
  };
  // Standard output is the witness's own pipe; what the tests print goes to standard error.
  const raw = await sandbox.exec({
    command: `exec 9>&1 1>&2 8<&0 </dev/null\nexport PYTHONPATH="$1\${PYTHONPATH:+:$PYTHONPATH}" PYTEST_ADDOPTS="-p $2\${PYTEST_ADDOPTS:+ $PYTEST_ADDOPTS}"\neval "$3"`,
    args: [folder, module, problem.tests.command],
    cwd: workdir,
    input: `${JSON.stringify(manifest)}\n`,
    timeoutMs: problem.tests.timeoutSeconds * 1000,
    keepBytes: 64 << 20,
    signal,
  });
  return { raw, ...weigh(raw, secret, canaries) };
}

function weigh(raw: GuestResult, secret: string, canaries: readonly Canary[]) {
  const evidence = readEvidence(raw.stdout.toString('utf8'), secret, canaries);
  const flags: Flag[] = [];
  const forged = [...evidence.forged];
  if (!evidence.began) flags.push({ kind: 'no_session', detail: `exit code ${raw.exitCode}, pytest never reported` });
  else if (!evidence.complete && raw.exitCode !== null) {
    const cut = { kind: 'session_cut', detail: `pytest did not come to its end, exit code ${raw.exitCode}` };
    // A crash is a failure; an orderly exit in the middle of a session is somebody's intent.
    (raw.exitCode === 0 ? forged : flags).push(cut);
  }
  return { outcomes: evidence.outcomes, complete: evidence.complete, flags, forged };
}

/** Other frameworks: their JUnit report, which the judged code could have written itself; flagged as weaker evidence. */
async function runJunit(sandbox: Sandbox, problem: Problem, report: string, signal: AbortSignal): Promise<Run> {
  const path = `${problem.workdir}/${report}`;
  await mustRun(sandbox, { command: 'rm -rf -- "$1"', args: [path] });
  const { timeoutSeconds, command } = problem.tests;
  const raw = await sandbox.exec({
    command,
    cwd: problem.workdir,
    timeoutMs: timeoutSeconds * 1000,
    signal,
    keepBytes: 16 << 20,
  });
  const xml = (await sandbox.read(path)).get(path)?.toString('utf8') ?? '';
  return {
    raw,
    outcomes: readJunit(xml),
    flags: [{ kind: 'report_unsigned', detail: report }],
    forged: [],
    complete: xml !== '',
  };
}

async function result(
  problem: Problem,
  blobs: BlobStore,
  began: number,
  verdict: GradeResult['verdict'],
  outcomes: Readonly<Record<string, TestOutcome>>,
  flags: Flag[],
  log: Buffer | string,
  complete = false,
): Promise<GradeResult> {
  return {
    resolved: verdict === 'graded' && complete && resolves(problem.tests, outcomes),
    verdict,
    failToPass: tally(problem.tests.failToPass, outcomes),
    passToPass: tally(problem.tests.passToPass, outcomes),
    flags,
    outcomes: await blobs.put(JSON.stringify(outcomes)),
    log: await blobs.put(log),
    seconds: Math.round((Date.now() - began) / 10) / 100,
  };
}

/** sha256 of each watched file that is code or belongs to the problem, read by the engine, by path in the work directory. */
async function digests(sandbox: Sandbox, workdir: string, paths: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const own = new Set(paths);
  for (const path of own) {
    for (const [file, bytes] of await sandbox.read(`${workdir}/${path}`)) {
      const name = file.slice(workdir.length + 1);
      if (own.has(name) || name.endsWith('.py')) found.set(name, createHash('sha256').update(bytes).digest('hex'));
    }
  }
  return found;
}
