import { openPython } from '@pointsman/python';
import type {
  CaseOutcome,
  Harness,
  HarnessQuality,
  MutantFate,
  ObservedCall,
  SandboxProfile,
  Subject,
} from '../../contract';
import { placeCandidate, referenceOf } from '../../problems/candidate';
import type { Coverage, HarnessRun } from '../../problems/equivalence/run';
import {
  type CandidateJudgement,
  isSame,
  judgeCandidate,
  passedIn,
  type Validity,
  validityOf,
} from '../../problems/equivalence/validity';
import type { Mutant } from '../../problems/mutation';
import type { Owner } from '../../sandbox/labels';
import type { RunRequest } from './protocol';
import { ensurePurgedImage, moduleText } from './purge';
import { type HarnessRoom, openHarnessRoom } from './session';
import type { HarnessHost } from './tools-image';

/** A function in its environment, and how harnesses are run on it. */
export interface HarnessBench {
  readonly owner: Owner;
  /** Names the containers within the run. Two that work at once need two names. */
  readonly role: string;
  /** Of `ensureHarnessImage`. */
  readonly image: string;
  readonly subject: Subject;
  readonly profile: SandboxProfile;
  readonly seed: number;
  readonly secondsPerCase: number;
}

export interface Validation extends Validity {
  /** Runs that were compared with the first. */
  readonly repeats: number;
  readonly coverage: Coverage | null;
  /** Calls that reached the function, with types and examples. */
  readonly calls: readonly ObservedCall[];
}

/** Calls whose types and examples are kept for the docstring. */
const OBSERVED_CALLS = 64;
/** Busy processes beside a repeat, to shake out what depends on timing. */
const LOAD = 4;

/**
 * Runs a harness on the function itself and again `repeats` times: other hash seeds, the cases in another order, another
 * directory, beside busy processes; all in one container. Safe to retry: containers begin fresh. Throws `SandboxLost` when
 * its container died, which is an outage and says nothing of the harness.
 */
export async function validateHarness(
  deps: HarnessHost,
  bench: HarnessBench,
  harness: Harness,
  repeats: number,
  signal: AbortSignal,
): Promise<Validation> {
  return openHarnessRoom(deps, roomOf(bench, 'validate'), signal, async (room) => {
    const request = requestOf(bench, harness, harness.cases);
    const first = await room.run({ ...request, coverage: true, observeCalls: OBSERVED_CALLS });
    const again: HarnessRun[] = [];
    // Of a harness that cannot be loaded the repeats would only say the same again.
    for (let at = 1; first.unusable === null && at <= repeats; at++) {
      const cases = at % 2 === 1 ? [...harness.cases].reverse() : rotated(harness.cases, at);
      const load = at === repeats ? LOAD : 0;
      const cwd = at % 2 === 0 ? '/tmp' : bench.subject.workdir;
      again.push(await room.run({ ...request, cases, load }, { hashSeed: at * 7919, cwd }));
    }
    const validity = validityOf(harness, first, again);
    return { ...validity, repeats: again.length, coverage: first.coverage, calls: first.calls };
  });
}

export interface Measurement {
  readonly quality: HarnessQuality;
  /** Without the cases that a function which only raises passes. */
  readonly harness: Harness;
  readonly expected: readonly CaseOutcome[];
}

/**
 * What a validated harness is worth: the function itself as a candidate, taken out of its container and placed back by
 * the same way as any other (oracle), a body that only raises (stub), and its mutants, each in a process of its own and
 * stopped at the first case that tells it from the function. Safe to retry. Throws `InvalidInput` where the function
 * cannot be taken out of the image.
 */
export async function measureHarness(
  deps: HarnessHost,
  bench: HarnessBench,
  validation: Validation,
  mutants: readonly Mutant[],
  signal: AbortSignal,
): Promise<Measurement> {
  const { image, files } = await ensurePurgedImage(deps, bench, signal);
  const ends = await openHarnessRoom(deps, { ...roomOf(bench, 'ends'), image }, signal, async (room) => {
    const request = requestOf(bench, validation.harness, validation.harness.cases);
    const stub = passedIn(validation.expected, await room.run(request));
    await place(room, bench.subject, files, await reference(deps, bench, signal));
    return { stub, oracle: passedIn(validation.expected, await room.run(request)) };
  });
  const expected = validation.expected.filter((each) => !ends.stub.includes(each.case));
  const harness = { ...validation.harness, cases: expected.map((each) => each.case) };
  const oracle = expected.filter((each) => ends.oracle.includes(each.case)).length;
  const fates = expected.length > 0 ? await fatesOf(deps, bench, harness, expected, mutants, files, signal) : [];
  const quality = {
    cases: expected.length,
    repeats: validation.repeats,
    flaky: [...validation.flaky],
    ...sharesOf(validation.coverage),
    mutants: fates,
    mutationScore: fates.length > 0 ? fates.filter(({ killedBy }) => killedBy !== null).length / fates.length : null,
    oracle: expected.length > 0 ? oracle / expected.length : 0,
    stub: 0,
  };
  return { quality, harness, expected };
}

/**
 * Judges one candidate in a fresh container that knows nothing of the reference nor of what is expected: only its outcomes
 * leave it. `misplaced` where the text does not fit. Safe to retry.
 */
export async function runCandidate(
  deps: HarnessHost,
  bench: HarnessBench,
  task: { readonly harness: Harness; readonly expected: readonly CaseOutcome[]; readonly candidate: string },
  signal: AbortSignal,
): Promise<CandidateJudgement> {
  const { harness, expected, candidate } = task;
  const { image, files } = await ensurePurgedImage(deps, bench, signal);
  return openHarnessRoom(deps, { ...roomOf(bench, 'candidate'), image }, signal, async (room) => {
    const refused = await place(room, bench.subject, files, candidate);
    if (refused !== undefined) {
      const cases = { passed: 0, total: expected.length };
      return { passed: false, verdict: 'misplaced', cases, detail: refused };
    }
    const asked = expected.map((each) => each.case);
    return judgeCandidate(harness, expected, await room.run(requestOf(bench, harness, asked)));
  });
}

/** Puts a candidate where the stub is. Gives the reason where it does not fit. */
async function place(
  room: HarnessRoom,
  subject: Subject,
  files: readonly string[],
  candidate: string,
): Promise<string | undefined> {
  const python = await openPython();
  const module = python.parse(subject.target.file, await moduleText(room.sandbox, subject));
  const placed = placeCandidate(python, module, subject.target, candidate);
  if ('refused' in placed) return placed.refused;
  await room.write(files.map((path) => ({ path, bytes: Buffer.from(placed.text) })));
  return undefined;
}

/** The function's own source, from the environment that still has it. */
async function reference(deps: HarnessHost, bench: HarnessBench, signal: AbortSignal): Promise<string> {
  return openHarnessRoom(deps, roomOf(bench, 'reference'), signal, async ({ sandbox }) => {
    const python = await openPython();
    const module = python.parse(bench.subject.target.file, await moduleText(sandbox, bench.subject));
    return referenceOf(module, bench.subject.target) ?? '';
  });
}

/** Mutants are ours and hide nothing, so they share a container. The case that told the last one apart goes first. */
async function fatesOf(
  deps: HarnessHost,
  bench: HarnessBench,
  harness: Harness,
  expected: readonly CaseOutcome[],
  mutants: readonly Mutant[],
  files: readonly string[],
  signal: AbortSignal,
): Promise<MutantFate[]> {
  const slowest = Math.max(...expected.map(({ seconds }) => seconds));
  const secondsPerCase = Math.min(bench.secondsPerCase, Math.max(2, slowest * 5));
  const known = new Map(expected.map((each) => [each.case, each]));
  return openHarnessRoom(deps, roomOf(bench, 'mutants'), signal, async (room) => {
    const fates: MutantFate[] = [];
    let cases = [...harness.cases];
    for (const { id, operator, line, before, after, source } of mutants) {
      await room.write(files.map((path) => ({ path, bytes: Buffer.from(source) })));
      const request = { ...requestOf(bench, harness, cases), secondsPerCase };
      const run = await room.run(request, {
        onOutcome: (outcome) => (isSame(known.get(outcome.case)!, outcome) ? undefined : 'enough'),
      });
      const killer = run.outcomes.find((outcome) => !isSame(known.get(outcome.case)!, outcome));
      fates.push({ id, operator, line, before, after, killedBy: killer?.case ?? null });
      if (killer) cases = [killer.case, ...cases.filter((name) => name !== killer.case)];
    }
    return fates;
  });
}

/** A function without branches is covered when a line of it ran. */
function sharesOf(coverage: Coverage | null): Pick<HarnessQuality, 'branchCoverage' | 'lineCoverage' | 'missedLines'> {
  if (!coverage) return { branchCoverage: 0, lineCoverage: 0, missedLines: [] };
  const { lines, branches } = coverage;
  const ran = lines.covered > 0 ? 1 : 0;
  return {
    branchCoverage: branches.total > 0 ? branches.covered / branches.total : ran,
    lineCoverage: lines.total > 0 ? lines.covered / lines.total : ran,
    missedLines: [...lines.missed],
  };
}

function roomOf(bench: HarnessBench, part: string) {
  const { owner, role, image, profile, subject } = bench;
  return { owner, role: `${role}-${part}`, image, profile, python: subject.python };
}

function requestOf(
  { subject, seed, secondsPerCase }: HarnessBench,
  { source }: Harness,
  cases: readonly string[],
): RunRequest {
  return {
    subject,
    harness: source,
    cases: [...cases],
    seed,
    secondsPerCase,
    keep: 10_000,
    observeCalls: 0,
    coverage: false,
    load: 0,
  };
}

function rotated<T>(all: readonly T[], by: number): T[] {
  const at = all.length === 0 ? 0 : by % all.length;
  return [...all.slice(at), ...all.slice(0, at)];
}
