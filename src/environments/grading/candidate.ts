import { randomBytes } from 'node:crypto';
import { type LeftOut, PointsmanError, type Problem, type TestFile as ProblemFile } from '../../contract';
import { openInlineTests } from '../../grading/inline-tests';
import { ReachOf } from '../../grading/reach';
import { restored, sharedAs } from '../../grading/shared-files';
import type { TestFile } from '../../grading/variants';
import { hasContext, pathsOfNumstat, splitPatch } from '../../problems/patch';
import type { Guest, GuestFile } from '../../sandbox/sandbox';
import type { BlobStore } from '../../store/blobs';
import { failed, GIT, mustRun, readTest, runScript, textOf } from '../commands';

export interface Applied {
  readonly leftOut: readonly LeftOut[];
  /** Why the patch is no change of this repository; undefined when it was applied. */
  readonly failure?: string;
}

/** What `apply.sh` ends with where the sandbox is at fault. */
const AT_FAULT = 75;

/** What of a problem's files the candidate's patch meets. */
interface Ground {
  /** Files that the test command goes through. */
  readonly through: readonly string[];
  /** Files that hold tests of the problem beside code. */
  readonly inline: ReadonlySet<string>;
  /** Where nothing may be afterwards: the tests go there. */
  readonly cleared: readonly string[];
}

/**
 * Brings a candidate's patch into a fresh container: without the files that are not its to change, and with the tables that
 * configure the run put back in files that are shared. Few round trips: a grading makes many containers.
 */
export async function applyCandidate(
  sandbox: Guest,
  problem: Problem,
  patch: string,
  { through, inline, cleared }: Ground,
): Promise<Applied> {
  const { workdir } = problem;
  const reach = new ReachOf({ problem, through, inline });
  const { patch: allowed, leftOut } = reach.of(patch);
  const empty = allowed.trim() === '';
  if (empty && patch.trim() !== '' && leftOut.length === 0) {
    return { leftOut, failure: 'no file could be read from the patch' };
  }
  const named = splitPatch(allowed).flatMap(({ from, to }) => [from, to].filter((each) => each !== null));
  const shared = [...new Set(named)].filter((each) => sharedAs(each) !== undefined);
  const before = await readAll(sandbox, workdir, shared);
  const gold = shared.length > 0 ? await withGold(sandbox, problem, shared) : new Map<string, string>();
  const input = Buffer.from(empty ? '' : allowed);
  const byLine = hasContext(allowed) ? '' : '--unidiff-zero';
  const applied = await runScript(sandbox, workdir, 'apply', [String(input.length), byLine, ...cleared], input);
  const { exitCode, stdout, stderr } = applied;
  if (exitCode === null || exitCode === AT_FAULT) throw failed('apply.sh', applied);
  // Git's own reading decides: a header that we read otherwise must not smuggle a path past us.
  const touched = pathsOfNumstat(stdout.toString('utf8'));
  const smuggled = touched.flatMap((each) => reach.refuses(each) ?? []);
  if (smuggled.length > 0 || touched.some((each) => sharedAs(each) !== undefined && !shared.includes(each))) {
    return { leftOut: [...leftOut, ...smuggled], failure: 'the patch hides what it touches' };
  }
  if (exitCode !== 0) return { leftOut, failure: stderr.toString('utf8').trim().slice(-600) };
  const after = await readAll(sandbox, workdir, shared);
  const putBack: LeftOut[] = [];
  for (const each of shared) {
    const now = after.get(each);
    const judged = restored(each, before.get(each), now, gold.get(each));
    if (judged === now) continue;
    putBack.push({
      path: each,
      kind: 'run_config',
      why: 'configures the run in some of its tables, which were put back',
    });
    await mustRun(sandbox, { command: 'rm -rf -- "$1"', args: [`${workdir}/${each}`] });
    if (judged !== undefined) await sandbox.write([{ path: `${workdir}/${each}`, bytes: Buffer.from(judged) }]);
  }
  return { leftOut: [...leftOut, ...putBack] };
}

/** What shared files are with the gold patch, where it touches them: what it changes is the candidate's to change too. */
async function withGold(sandbox: Guest, problem: Problem, shared: readonly string[]): Promise<Map<string, string>> {
  const { workdir, goldPatch = '' } = problem;
  const touched = shared.filter((path) => goldPatch.includes(`b/${path}`));
  if (touched.length === 0) return new Map();
  const path = await patchFile(sandbox, goldPatch);
  const includes = touched.map((each) => `--include='${each.replaceAll("'", '?')}'`).join(' ');
  const applied = await git(sandbox, workdir, `apply --whitespace=nowarn ${includes}`, path);
  if (applied.exitCode !== 0) return new Map();
  const texts = await readAll(sandbox, workdir, touched);
  await mustRun(sandbox, {
    cwd: workdir,
    command: `${GIT} apply -R --whitespace=nowarn ${includes} "$1"; rm -f "$1"`,
    args: [path],
  });
  return texts;
}

function git(sandbox: Guest, cwd: string, command: string, path: string) {
  return sandbox.exec({ command: `${GIT} ${command} "$1"`, args: [path], cwd, timeoutMs: 120_000 });
}

async function patchFile(sandbox: Guest, text: string): Promise<string> {
  const path = `/tmp/${randomBytes(8).toString('hex')}.patch`;
  await sandbox.write([{ path, bytes: Buffer.from(text) }]);
  return path;
}

/** Test files of a problem, as they are written. */
export interface TestPlaces {
  /** The problem; tests that its patch brings beside code are among its files. */
  readonly problem: Problem;
  /** Files of which only the tests are the problem's: the rest is the candidate's. */
  readonly inline: ReadonlySet<string>;
}

/** Reads which test files hold code too. In a container that no patch came to yet. */
export async function testPlaces(sandbox: Guest, given: Problem, blobs: BlobStore): Promise<TestPlaces> {
  const tests = await openInlineTests();
  const problem = await withoutInlinePatch(sandbox, given);
  const inline = new Set<string>();
  for (const { path, content } of problem.tests.files) {
    if (!path.endsWith('.rs') || content === null) continue;
    if (tests.areIn({ path, text: (await readTest(content, blobs)).toString('utf8') })) inline.add(path);
  }
  return { problem, inline };
}

/** What the problem's patch makes of files that hold tests beside code comes as those files. */
async function withoutInlinePatch(sandbox: Guest, problem: Problem): Promise<Problem> {
  const { tests, workdir } = problem;
  const sections = splitPatch(tests.patch ?? '');
  const sources = sections.flatMap(({ to }) => (to?.endsWith('.rs') ? [to] : []));
  if (sources.length === 0) return problem;
  const path = await patchFile(sandbox, tests.patch!);
  if ((await git(sandbox, workdir, 'apply --whitespace=nowarn', path)).exitCode !== 0) return problem;
  const texts = await readAll(sandbox, workdir, sources);
  await mustRun(sandbox, {
    cwd: workdir,
    command: `${GIT} apply -R --whitespace=nowarn "$1"; rm -f "$1"`,
    args: [path],
  });
  const inline = await openInlineTests();
  const files = Array.from(texts, ([each, text]) => ({ path: each, text })).filter((each) => inline.areIn(each));
  const moved = new Set(files.map((each) => each.path));
  return {
    ...problem,
    tests: {
      ...tests,
      files: [...tests.files, ...files.map((each) => ({ path: each.path, content: each.text }))],
      patch: sections
        .filter(({ to }) => to === null || !moved.has(to))
        .map(({ text }) => `${text.replace(/\n$/, '')}\n`)
        .join(''),
    },
  };
}

/** Where test files go whole, and `files` over them: a link or folder in a file's place would lead elsewhere. */
export function wholePlaces({ problem, inline }: TestPlaces, files: readonly TestFile[]): string[] {
  const { workdir, tests } = problem;
  const paths = new Set([...tests.files, ...files].map(({ path }) => path));
  return [...paths].filter((path) => !inline.has(path)).map((path) => `${workdir}/${path}`);
}

/** Puts the problem's own test files in place, which was cleared, and `files` over them. */
export async function placeTests(
  sandbox: Guest,
  { problem, inline }: TestPlaces,
  files: readonly TestFile[],
  blobs: BlobStore,
): Promise<void> {
  const { workdir, tests } = problem;
  const over = files.map(({ path, text }) => ({ path, bytes: Buffer.from(text) }));
  const own = await Promise.all(
    tests.files.flatMap(({ path, content, executable = false }) =>
      content === null ? [] : [readTest(content, blobs).then((bytes) => ({ path, bytes, executable }))],
    ),
  );
  if (tests.patch === undefined || tests.patch.trim() === '') {
    const byPath = new Map<string, GuestFile>(own.map((file) => [file.path, file]));
    for (const file of over) byPath.set(file.path, { ...byPath.get(file.path), ...file });
    return writeTests(sandbox, workdir, [...byPath.values()], inline);
  }
  await writeTests(sandbox, workdir, own, inline);
  const path = await patchFile(sandbox, tests.patch);
  const applied = await git(sandbox, workdir, 'apply --whitespace=nowarn', path);
  await mustRun(sandbox, { command: 'rm -f "$1"', args: [path] });
  if (applied.exitCode === 0) return writeTests(sandbox, workdir, over, inline);
  throw new PointsmanError(
    'InvalidInput',
    `problem ${problem.id}: tests.patch does not apply: ${textOf(applied)}`,
    'The patch and the image belong to different commits.',
  );
}

/** Files of a problem for a folder of their own. */
export async function filesBelow(
  folder: string,
  files: readonly ProblemFile[],
  blobs: BlobStore,
): Promise<GuestFile[]> {
  const read = files.map(async ({ path, content, executable = false }) =>
    content === null ? [] : [{ path: `${folder}/${path}`, bytes: await readTest(content, blobs), executable }],
  );
  return (await Promise.all(read)).flat();
}

/**
 * Writes test files: of those that hold code too, their tests into what is there. Where there is no file or no module for
 * them they are left out, and do not run.
 */
async function writeTests(
  sandbox: Guest,
  workdir: string,
  files: readonly GuestFile[],
  inline: ReadonlySet<string>,
): Promise<void> {
  const beside = files.flatMap(({ path }) => (inline.has(path) ? [path] : []));
  const there = await readAll(sandbox, workdir, beside);
  const tests = beside.length > 0 ? await openInlineTests() : undefined;
  const written = files.flatMap((file): GuestFile[] => {
    if (!inline.has(file.path)) return [file];
    const own = there.get(file.path);
    const whole = own === undefined ? undefined : tests?.put(own, file.bytes.toString('utf8'));
    return whole === undefined ? [] : [{ path: file.path, bytes: Buffer.from(whole) }];
  });
  await sandbox.write(written.map((file) => ({ ...file, path: `${workdir}/${file.path}` })));
}

async function readAll(sandbox: Guest, workdir: string, paths: readonly string[]): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const path of paths) {
    const bytes = (await sandbox.read(`${workdir}/${path}`)).get(`${workdir}/${path}`);
    if (bytes) files.set(path, bytes.toString('utf8'));
  }
  return files;
}
