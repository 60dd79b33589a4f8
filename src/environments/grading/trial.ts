import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import {
  type Apart,
  type Artifact,
  isPointsmanError,
  type Lease,
  PointsmanError,
  type Problem,
  partAt,
  partsOf,
  SandboxProfile,
  withNeeds,
} from '../../contract';
import { overParts, whyStopped } from '../../grading/reward';
import type { Owner } from '../../sandbox/labels';
import type { Guest, GuestFile, Sandboxes } from '../../sandbox/sandbox';
import type { BlobStore } from '../../store/blobs';
import { mustRun } from '../commands';
import { applyCandidate, filesBelow } from './candidate';
import { isExcluded } from './excluded';
import { NOTHING, type Ran, runCommands, solve } from './run-tests';

/** What judging where an agent worked needs of this host. */
export interface TrialLab {
  readonly blobs: BlobStore;
  readonly sandboxes: Pick<Sandboxes, 'claim' | 'remove' | 'services'>;
  /** The problem's image, made where it is not there. */
  image(owner: Owner, problem: Problem, signal: AbortSignal): Promise<string>;
  /** Any other image of it: of a service, or of tests that run apart. */
  made(image: Pick<Problem, 'id' | 'image' | 'build'>): Promise<void>;
}

/** A problem whose tests judge where an agent worked. */
interface Subject {
  readonly owner: Owner;
  readonly problem: Problem;
  readonly signal: AbortSignal;
}

/**
 * Starts what a problem has running in its sandbox or beside it, the latter fresh. Throws `SandboxFailed` for what does not
 * come up.
 */
export async function startServices(
  { sandboxes, made }: Pick<TrialLab, 'sandboxes' | 'made'>,
  { owner, problem, signal }: Subject,
  sandbox: Pick<Lease, 'container' | 'workdir'>,
): Promise<void> {
  const services = problem.services ?? [];
  if (services.length === 0) return;
  for (const { name, kind, image, build } of services) {
    if (kind !== 'container') continue;
    await sandboxes.services.remove(owner, name);
    if (image !== undefined) await made({ id: `the service ${name} of ${problem.id}`, image, build });
  }
  const images = services.flatMap(({ image }) => image ?? []);
  const specs = services.map(({ build: _, ...spec }) => spec);
  const request = { owner, services: specs, base: problem.image, images, install: () => undefined };
  const { failed } = await sandboxes.services.start({ ...request, lease: sandbox }, signal);
  if (failed)
    throw new PointsmanError(
      'SandboxFailed',
      `the service ${failed.name} of ${problem.id} did not come up: ${failed.why}`,
      'Its image needs bash; try it with `docker run`.',
    );
}

/** Brings a part's files into the work directory and runs what is to be run there. Repeating it does it again. */
export async function openPart(
  sandbox: Guest,
  { workdir, opening }: Problem,
  blobs: BlobStore,
  signal: AbortSignal,
): Promise<void> {
  if (!opening) return;
  await sandbox.write(await filesBelow(workdir, opening.files, blobs));
  const { command } = opening;
  if (command === undefined) return;
  const done = await sandbox.exec({ command, cwd: workdir, timeoutMs: OPENING_MS, keepBytes: 1 << 16, signal });
  await sandbox.assertAlive(done.exitCode, 'opening');
  if (done.exitCode === 0) return;
  const said = `${done.stdout.toString('utf8')}${done.stderr.toString('utf8')}`.trim().slice(-600);
  throw new PointsmanError(
    'SandboxFailed',
    `what brings a part of a problem about ended with ${done.exitCode}: ${said}`,
    'Its files may be for another image.',
  );
}

const OPENING_MS = 600_000;

/** The tests of one part on what an agent left. Throws for outages. */
export async function testPart(lab: TrialLab, subject: Subject, sandbox: Guest): Promise<Ran> {
  const { problem } = subject;
  const { apart, at, files } = problem.tests;
  if (!apart) {
    await mustRun(sandbox, { command: 'rm -rf -- "$1"', args: [at!] });
    await sandbox.write(await filesBelow(at!, files, lab.blobs));
    const ran = await run(subject, sandbox, problem);
    // An agent that goes on sees neither the tests nor what they said.
    await mustRun(sandbox, {
      command: 'rm -rf -- "$@"',
      args: [at!, ...reportOf(problem.workdir, problem.tests.parser)],
    });
    return ran;
  }
  return testApart(lab, subject, sandbox, apart);
}

/** Where tests report: the whole folder, with what else they said there, unless it holds work of the agent's or is held by it. */
export function reportOf(workdir: string, parser: Problem['tests']['parser']): string[] {
  if (!('report' in parser)) return [];
  const report = posix.resolve(workdir, parser.report);
  const folder = posix.dirname(report);
  const holds = (outer: string, inner: string) => `${inner}/`.startsWith(outer === '/' ? outer : `${outer}/`);
  return [holds(folder, workdir) || holds(workdir, folder) ? report : folder];
}

async function run({ signal }: Subject, sandbox: Guest, problem: Problem): Promise<Ran> {
  const { timeoutSeconds } = problem.tests;
  const ran = await runCommands(
    { sandbox, readFile: () => undefined },
    { problem, timeoutSeconds, scope: 'all', signal },
  );
  return { ...ran, leftOut: [] };
}

/** In a sandbox of their own, which holds of the agent's only what is collected. */
async function testApart(lab: TrialLab, subject: Subject, agents: Guest, apart: Apart): Promise<Ran> {
  const { owner, problem, signal } = subject;
  const { at, files } = problem.tests;
  const { sandboxes, blobs } = lab;
  const { image, build, workdir, needs, holdsTests } = apart;
  const collected = await collect(lab, subject, agents, apart);
  const role = `apart-${randomUUID().slice(0, 8)}`;
  const own = { ...problem, image, build, workdir, environment: undefined, preparation: undefined };
  await lab.image(owner, own, signal);
  try {
    const profile = withNeeds(SandboxProfile.parse({ network: 'none' }), needs);
    const sandbox = await sandboxes.claim({ owner, role, image, workdir, profile });
    for (const { source, found } of collected) {
      if (found.length > 0) await mustRun(sandbox, { command: 'rm -rf -- "$1"', args: [source] });
      await sandbox.write(found);
    }
    if (!holdsTests) await sandbox.write(await filesBelow(at!, files, blobs));
    return await run(subject, sandbox, own);
  } finally {
    await sandboxes.remove(owner, role);
  }
}

/** Bytes of all that is collected of one place. */
const COLLECTED = 256 << 20;

/** What is not there, or is too much, does not reach the tests: that is the agent's own doing. */
async function collect(
  { sandboxes }: TrialLab,
  { owner, problem, signal }: Subject,
  agents: Guest,
  apart: Apart,
): Promise<{ source: string; found: GuestFile[] }[]> {
  const found: { source: string; found: GuestFile[] }[] = [];
  const names = new Set([...apart.collect, ...apart.artifacts].map(({ service }) => service));
  // The agent's own sandbox first, as its services may be asked what it did there.
  for (const name of [undefined, ...[...names].filter((each) => each !== undefined)]) {
    const from = name === undefined ? agents : sandboxes.services.at(owner, name);
    for (const { command, service, timeoutSeconds } of apart.collect) {
      if (service !== name) continue;
      const cwd = name === undefined ? problem.workdir : '/';
      await from.exec({ command, cwd, timeoutMs: timeoutSeconds * 1000, keepBytes: 1 << 16, signal });
    }
    for (const artifact of apart.artifacts) {
      if (artifact.service !== name) continue;
      found.push({ source: artifact.source, found: await filesOf(from, artifact) });
    }
  }
  return found;
}

async function filesOf(from: Guest, { source, exclude }: Artifact): Promise<GuestFile[]> {
  const files = await from.read(source, { bytes: COLLECTED, entries: 100_000 }).catch((error: unknown) => {
    if (isPointsmanError(error) && error.code === 'TooLarge') return new Map<string, Buffer>();
    throw error;
  });
  if (files.size === 0) return [];
  const listed = await from.exec({
    command: 'find "$1" -type f -perm -u+x -print0',
    args: [source],
    timeoutMs: 60_000,
    keepBytes: 8 << 20,
  });
  const executable = new Set(listed.stdout.toString('utf8').split('\0'));
  return [...files].flatMap(([path, bytes]) =>
    isExcluded(posix.relative(source, path), exclude) ? [] : [{ path, bytes, executable: executable.has(path) }],
  );
}

/**
 * A trial without an agent: the sandbox with what belongs to it, and part by part the solution (where it is asked for) and the
 * tests. What is said of the parts together is said as of one test. Throws for outages.
 */
export async function runTrial(
  lab: TrialLab,
  asked: {
    readonly owner: Owner;
    readonly role: string;
    readonly problem: Problem;
    /** Applied first, where the reference is one. */
    readonly patch: string;
    readonly solved?: boolean;
    readonly signal: AbortSignal;
  },
): Promise<Ran> {
  const { owner, role, problem, signal } = asked;
  const { sandboxes, blobs } = lab;
  const { workdir, needs } = problem;
  await sandboxes.remove(owner, role);
  const image = await lab.image(owner, problem, signal);
  try {
    const profile = withNeeds(SandboxProfile.parse({ network: 'none' }), needs);
    const sandbox = await sandboxes.claim({ owner, role, image, workdir, profile });
    await startServices(lab, asked, { container: sandbox.name, workdir });
    const ground = { through: [], inline: new Set<string>(), cleared: [] };
    if (asked.patch.trim() !== '') {
      const { failure, leftOut } = await applyCandidate(sandbox, problem, asked.patch, ground);
      if (failure !== undefined)
        return { ...NOTHING, ended: 'misfit', detail: failure, log: Buffer.from(failure), leftOut };
    }
    const runs: Ran[] = [];
    for (let at = 0; at < partsOf(problem); at++) {
      const part = partAt(problem, at);
      await openPart(sandbox, part, blobs, signal);
      if (asked.solved && part.solution)
        await solve(sandbox, part, part.solution, blobs, { timeoutSeconds: OPENING_MS / 1000, signal });
      const ran = await testPart(lab, { owner, problem: part, signal }, sandbox);
      runs.push(ran);
      if (whyStopped(ran.rewards, part.least) !== undefined) break;
    }
    return together(problem, runs);
  } finally {
    await sandboxes.remove(owner, role);
    for (const { name, kind } of problem.services ?? []) {
      if (kind === 'container') await sandboxes.services.remove(owner, name);
    }
    if (problem.services) await sandboxes.services.removeNetwork(owner);
  }
}

function together(problem: Problem, runs: readonly Ran[]): Ran {
  const last = runs.at(-1)!;
  if (!problem.further) return last;
  const rewards = overParts(
    runs.map((each) => each.rewards),
    problem.further.reward,
  );
  const passed = runs.length === partsOf(problem) && (rewards.reward ?? 0) >= 1;
  return {
    ...last,
    ended: runs.some(({ ended }) => ended === 'timed_out') ? 'timed_out' : last.ended,
    anyTest: runs.some(({ anyTest }) => anyTest),
    outcomes: { reward: passed ? 'passed' : 'failed' },
    rewards,
    seconds: runs.reduce((sum, { seconds }) => sum + seconds, 0),
    log: Buffer.concat(runs.map(({ log }) => log)),
  };
}
