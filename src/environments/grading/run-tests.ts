import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { isPointsmanError, type LeftOut, type Problem, SandboxProfile } from '../../contract';
import { REPORTERS } from '../../grading/reporters';
import { mergedOutcomes } from '../../grading/reporters/reporter';
import { rewardsIn } from '../../grading/reporters/reward';
import { aloneCommand, narrowed, type ReportedCommand, reported } from '../../grading/runners/ask';
import type { ReadFile } from '../../grading/runners/files';
import { followed } from '../../grading/runners/follow';
import type { TestFile } from '../../grading/variants';
import { isTest, type Outcomes } from '../../problems/outcomes';
import { fileOfTestId } from '../../problems/test-files';
import { quote } from '../../rollout/shell';
import type { Owner } from '../../sandbox/labels';
import type { Guest, GuestResult, Sandboxes, SandboxSpec } from '../../sandbox/sandbox';
import type { BlobStore } from '../../store/blobs';
import { GIT, mustRun } from '../commands';
import { applyCandidate, filesBelow, placeTests, testPlaces, wholePlaces } from './candidate';

/** Where tests run. */
export interface Lab {
  readonly blobs: BlobStore;
  readonly sandboxes: Pick<Sandboxes, 'remove'> & { claim(spec: SandboxSpec): Promise<Guest> };
  /** The problem's image, made where it is not there. */
  image(owner: Owner, problem: Problem, signal: AbortSignal): Promise<string>;
}

/** Which tests run: by the problem's command, by it for some files, or each in a process of its own. */
export type Scope = 'all' | { readonly files: readonly string[] } | { readonly alone: readonly string[] };

export interface TestsAsked {
  readonly owner: Owner;
  /** Names the container within the workflow's run. */
  readonly role: string;
  readonly problem: Problem;
  readonly patch: string;
  /** Written over the problem's tests in every run, changed or not: no kind of run is told by how its files came. */
  readonly files: readonly TestFile[];
  readonly scope: Scope;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

type CommandsAsked = Pick<TestsAsked, 'problem' | 'scope' | 'timeoutSeconds' | 'signal'>;

export interface Ran {
  /** `misfit`: the patch is no change of this repository, and `detail` says why. */
  readonly ended: 'ran' | 'timed_out' | 'misfit';
  readonly detail?: string;
  readonly anyTest: boolean;
  readonly outcomes: Outcomes;
  /** What is said of a failure, or all that was said where the report does not tell one from another. */
  readonly failureOf: (test: string) => string;
  /** Of the test commands alone. */
  readonly seconds: number;
  readonly log: Buffer;
  readonly leftOut: readonly LeftOut[];
  /** Numbers by name, where the tests write a reward. */
  readonly rewards?: Readonly<Record<string, number>>;
}

/** Gives a runner of Node.js the words for its report. */
const REPORT_ARGUMENTS = readFileSync(join(__dirname, 'guest/report-arguments.cjs'));

/** Bytes that are kept of each stream of the test command. */
const LOG_BYTES = 16 << 20;

/** A container that holds the patch and the problem's tests over it. */
export interface Room {
  readonly sandbox: Guest;
  /** Files of the problem that its test command goes through, as they were before the patch. */
  readonly readFile: ReadFile;
}

/**
 * One run of a problem's tests in a fresh container without network: the patch, the problem's tests over it, the command
 * with its framework's own report. What is judged cannot tell one kind of run from another: they differ in nothing but the
 * constants of some expectations. Throws for outages; a verdict is never one.
 */
export async function runTests(lab: Lab, asked: TestsAsked): Promise<Ran> {
  return inRoom(lab, asked, (room) => runCommands(room, asked));
}

/** Makes the container, hands it over where the patch fits, and removes it. */
export async function inRoom(
  lab: Lab,
  asked: TestsAsked,
  use: (room: Room) => Promise<Omit<Ran, 'leftOut'>>,
): Promise<Ran> {
  const { owner, role, problem, files, signal } = asked;
  const { sandboxes, blobs } = lab;
  const { workdir } = problem;
  await sandboxes.remove(owner, role);
  const image = await lab.image(owner, problem, signal);
  try {
    const profile = SandboxProfile.parse({ network: 'none' });
    const sandbox = await sandboxes.claim({ owner, role, image, workdir, profile });
    // Before the patch: what the command starts is the problem's to say.
    const { readFile, through } = await followedIn(sandbox, problem);
    const places = await testPlaces(sandbox, problem, blobs);
    const { leftOut, failure } = await applyCandidate(sandbox, places.problem, asked.patch, {
      through,
      inline: places.inline,
      cleared: wholePlaces(places, files),
    });
    if (failure !== undefined) {
      return { ...NOTHING, ended: 'misfit', detail: failure, log: Buffer.from(failure), leftOut };
    }
    await placeTests(sandbox, places, files, blobs);
    return { ...(await use({ sandbox, readFile })), leftOut };
  } finally {
    await sandboxes.remove(owner, role);
  }
}

/** Where a problem's own solution is put, as Harbor's oracle finds it. */
const SOLUTION = '/solution';

/** Runs a problem's own solution. */
export async function solve(
  sandbox: Guest,
  { workdir }: Problem,
  { files, command }: NonNullable<Problem['solution']>,
  blobs: BlobStore,
  { timeoutSeconds, signal }: Pick<TestsAsked, 'timeoutSeconds' | 'signal'>,
): Promise<void> {
  await sandbox.write(await filesBelow(SOLUTION, files, blobs));
  await sandbox.exec({ command, cwd: workdir, timeoutMs: timeoutSeconds * 1000, keepBytes: LOG_BYTES, signal });
}

/** Of a run that did not come to its tests. */
export const NOTHING = { anyTest: false, outcomes: {}, failureOf: () => '', seconds: 0 };

/** Runs what the scope asks for, one command after another. */
export async function runCommands(room: Room, asked: CommandsAsked): Promise<Omit<Ran, 'leftOut'>> {
  const began = performance.now();
  const runs: { report: Told; raw: GuestResult }[] = [];
  for (const command of commandsOf(room, asked)) runs.push(await runCommand(room, asked, command));
  const outcomes = mergedOutcomes(runs.map(({ report }) => report.outcomes));
  return {
    ended: runs.some(({ raw }) => raw.exitCode === null) ? 'timed_out' : 'ran',
    anyTest: Object.keys(outcomes).some(isTest),
    outcomes,
    failureOf: (test) => runs.map(({ report }) => report.failureOf(test)).join('\n'),
    rewards: runs.at(-1)?.report.rewards,
    seconds: Math.round((performance.now() - began) / 10) / 100,
    log: Buffer.concat(runs.flatMap(({ raw }) => [raw.stdout, raw.stderr])),
  };
}

/** Whether the problem's command can be run for some files only. */
export function canNarrow({ readFile }: Room, problem: Problem, files: readonly string[]): boolean {
  const { command } = problem.tests;
  return narrowed(command, followed(command, readFile, wantedOf(problem)), files) !== undefined;
}

/** The scope as command lines: one that cannot be narrowed runs as it is, and a test that cannot be named alone not at all. */
function commandsOf({ readFile }: Room, { problem, scope }: CommandsAsked): string[] {
  const { command } = problem.tests;
  if (scope === 'all') return [command];
  const chain = followed(command, readFile, wantedOf(problem));
  if ('files' in scope) return [narrowed(command, chain, scope.files) ?? command];
  return scope.alone.flatMap((test) => aloneCommand(command, chain, test) ?? []);
}

/** No report from before is taken for one of this run. */
function roomFor(report: string): string {
  return `rm -rf -- ${quote(report)}; mkdir -p -- ${quote(posix.dirname(report))}\n`;
}

type Told = Pick<Ran, 'outcomes' | 'failureOf' | 'rewards'>;

async function runCommand(
  room: Room,
  asked: CommandsAsked,
  command: string,
): Promise<{ report: Told; raw: GuestResult }> {
  const { sandbox, readFile } = room;
  const { problem, timeoutSeconds, signal } = asked;
  const { workdir } = problem;
  const wanted = wantedOf(problem);
  const { command: line, reports, printed } = reportedBy(problem, command, readFile);
  await sandbox.write(
    reports.flatMap(({ path, late }) =>
      late
        ? [
            { path: `${path}.cjs`, bytes: REPORT_ARGUMENTS },
            { path: `${path}.json`, bytes: Buffer.from(JSON.stringify(late)) },
          ]
        : [],
    ),
  );
  const raw = await sandbox.exec({
    command: `${reports.map(({ path }) => roomFor(path)).join('')}${line}`,
    cwd: workdir,
    timeoutMs: timeoutSeconds * 1000,
    keepBytes: LOG_BYTES,
    signal,
  });
  await sandbox.assertAlive(raw.exitCode, 'grading');
  const paths = wanted.length > 0 ? [...new Set(wanted.map(fileOfTestId))] : await pathsIn(sandbox, workdir);
  const textAt = (path: string) => textIn(sandbox, path);
  const swallowed = await Promise.all(printed.map(textAt));
  const stdout = [raw.stdout.toString('utf8'), ...swallowed].join('\n');
  const stderr = raw.stderr.toString('utf8');
  const given = await Promise.all(
    reports.map(async ({ reporter, path, late }) => {
      const files = late ? await filesFrom(sandbox, `${path}-`) : [await textAt(path)];
      return (files.length > 0 ? files : [undefined]).map((file) => ({
        reporter: REPORTERS[reporter],
        report: { file: file ?? null, stdout, stderr, paths },
      }));
    }),
  ).then((each) => each.flat());
  // Read only where somebody asks: a report of 250,000 tests takes seconds.
  let failures: ReadonlyMap<string, string> | 'untold' | undefined;
  const failureOf = (test: string) => {
    failures ??= failuresIn(given.map(({ reporter, report }) => reporter.failures?.(report, wanted)));
    return failures === 'untold' ? `${stdout}\n${stderr}` : (failures.get(test) ?? '');
  };
  const outcomes = mergedOutcomes(given.map(({ reporter, report }) => reporter.read(report, wanted)));
  const [first] = given;
  const rewards = first?.reporter === REPORTERS.reward ? rewardsIn(first.report.file ?? '') : undefined;
  return { report: { outcomes, failureOf, rewards }, raw };
}

/** What all reports say of failures; one that does not tell one from another leaves all of it untold. */
function failuresIn(
  said: readonly (ReadonlyMap<string, string> | undefined)[],
): ReadonlyMap<string, string> | 'untold' {
  const all = said.flatMap((each) => (each ? [each] : []));
  return all.length < said.length ? 'untold' : new Map(all.flatMap((each) => [...each]));
}

/** Texts of the files whose path begins so. */
async function filesFrom(sandbox: Guest, start: string): Promise<string[]> {
  const all = await sandbox.read(posix.dirname(start));
  return [...all].flatMap(([path, bytes]) => (path.startsWith(start) ? [bytes.toString('utf8')] : []));
}

/** A problem may say where its report is; else the runner that the command starts is asked for one, under a fresh name. */
function reportedBy({ workdir, tests }: Problem, command: string, readFile: ReadFile): ReportedCommand {
  const { parser } = tests;
  if (parser.kind === 'junit' || parser.kind === 'reward') {
    return { command, reports: [{ reporter: parser.kind, path: posix.resolve(workdir, parser.report) }], printed: [] };
  }
  const chain = followed(command, readFile, [...tests.failToPass, ...tests.passToPass]);
  return reported(command, chain, `/tmp/${randomBytes(8).toString('hex')}/report`);
}

const wantedOf = ({ tests }: Problem) => [...tests.failToPass, ...tests.passToPass];

async function pathsIn(sandbox: Guest, workdir: string): Promise<string[]> {
  const listed = await mustRun(sandbox, { cwd: workdir, command: `${GIT} ls-files -z --cached --others` });
  return listed.stdout.toString('utf8').split('\0').filter(Boolean);
}

/** A report that is larger than any that a runner writes is none: tests without a report have not passed. */
async function textIn(sandbox: Guest, path: string): Promise<string | undefined> {
  try {
    return (await sandbox.read(path, { entries: 1 })).get(path)?.toString('utf8');
  } catch (error) {
    if (isPointsmanError(error) && error.code === 'TooLarge') return undefined;
    throw error;
  }
}

/** Follows the command through the files of the container, reading those that it comes to. */
async function followedIn(
  sandbox: Guest,
  problem: Problem,
): Promise<{ readFile: ReadFile; through: readonly string[] }> {
  const { workdir } = problem;
  const texts = new Map<string, string | undefined>();
  for (;;) {
    const missing: string[] = [];
    const readFile = (path: string) => {
      if (!texts.has(path)) missing.push(path);
      return texts.get(path);
    };
    const { through } = followed(problem.tests.command, readFile, wantedOf(problem));
    if (missing.length === 0) return { readFile: (path) => texts.get(path), through };
    for (const path of missing) {
      const full = posix.join(workdir, path);
      texts.set(path, await textIn(sandbox, full));
    }
  }
}
