import { randomBytes } from 'node:crypto';
import { type LeftOut, PointsmanError, type Problem } from '../../contract';
import { GIT, mustRun, readTest, textOf } from '../../environments/commands';
import { openInlineTests } from '../../grading/inline-tests';
import { ReachOf } from '../../grading/reach';
import { restored, sharedAs } from '../../grading/shared-files';
import type { TestFile } from '../../grading/variants';
import { hasContext, pathsOfNumstat, splitPatch } from '../../problems/patch';
import type { Sandbox } from '../../sandbox/sandbox';
import type { BlobStore } from '../../store/blobs';

export interface Applied {
  readonly leftOut: readonly LeftOut[];
  /** Why the patch is no change of this repository; undefined when it was applied. */
  readonly failure?: string;
}

/**
 * Brings a candidate's patch into a fresh container: without the files that are not its to change, and with the tables that
 * configure the run put back in files that are shared. `through` are the files that the test command goes through, `inline`
 * those that hold tests of the problem beside code.
 */
export async function applyCandidate(
  sandbox: Sandbox,
  problem: Problem,
  patch: string,
  through: readonly string[],
  inline: ReadonlySet<string>,
): Promise<Applied> {
  const { workdir } = problem;
  const reach = new ReachOf({ problem, through, inline });
  const { patch: allowed, leftOut } = reach.of(patch);
  if (allowed.trim() === '') {
    const unread = patch.trim() !== '' && leftOut.length === 0;
    return unread ? { leftOut, failure: 'no file could be read from the patch' } : { leftOut };
  }
  const path = await patchFile(sandbox, allowed);
  const byLine = hasContext(allowed) ? '' : ' --unidiff-zero';
  const numstat = await git(sandbox, workdir, `apply --numstat -z${byLine}`, path);
  if (numstat.exitCode !== 0) return { leftOut, failure: textOf(numstat) };
  // Git's own reading decides: a header that we read otherwise must not smuggle a path past us.
  const touched = pathsOfNumstat(numstat.stdout.toString('utf8'));
  const smuggled = touched.flatMap((each) => reach.refuses(each) ?? []);
  if (smuggled.length > 0) {
    return { leftOut: [...leftOut, ...smuggled], failure: 'the patch hides what it touches' };
  }
  const shared = touched.filter((each) => sharedAs(each) !== undefined);
  const before = await readAll(sandbox, workdir, shared);
  const gold = shared.length > 0 ? await withGold(sandbox, problem, shared) : new Map<string, string>();
  const failure = await apply(sandbox, workdir, path, byLine);
  if (failure !== undefined) return { leftOut, failure };
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
async function withGold(sandbox: Sandbox, problem: Problem, shared: readonly string[]): Promise<Map<string, string>> {
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

/** A patch whose context has moved is tried as a three-way merge before it is given up: then what git says of it. */
async function apply(sandbox: Sandbox, workdir: string, path: string, byLine: string): Promise<string | undefined> {
  const applied = await git(sandbox, workdir, `apply --whitespace=nowarn${byLine}`, path);
  if (applied.exitCode !== 0) {
    // A committed image's files have new inodes, which a merge would take for changes.
    await sandbox.exec({ command: `${GIT} update-index -q --refresh`, cwd: workdir, timeoutMs: 120_000 });
    const merged = await git(sandbox, workdir, 'apply --whitespace=nowarn --3way', path);
    if (merged.exitCode !== 0) return textOf(applied);
    await sandbox.exec({ command: `${GIT} reset -q`, cwd: workdir, timeoutMs: 120_000 });
  }
  await sandbox.exec({ command: 'rm -f "$1"', args: [path] });
  return undefined;
}

function git(sandbox: Sandbox, cwd: string, command: string, path: string) {
  return sandbox.exec({ command: `${GIT} ${command} "$1"`, args: [path], cwd, timeoutMs: 120_000 });
}

async function patchFile(sandbox: Sandbox, text: string): Promise<string> {
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
export async function testPlaces(sandbox: Sandbox, given: Problem, blobs: BlobStore): Promise<TestPlaces> {
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
async function withoutInlinePatch(sandbox: Sandbox, problem: Problem): Promise<Problem> {
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

/** Puts the problem's own test files in place, over whatever is there. */
export async function placeTests(sandbox: Sandbox, { problem, inline }: TestPlaces, blobs: BlobStore): Promise<void> {
  const { workdir, tests } = problem;
  const whole = tests.files.filter(({ path }) => !inline.has(path));
  if (whole.length > 0) {
    // A link or folder in a file's place would lead the writing elsewhere.
    await mustRun(sandbox, {
      command: 'for f in "$@"; do rm -rf -- "$f" || exit 1; done',
      args: whole.map((file) => `${workdir}/${file.path}`),
    });
  }
  const files = await Promise.all(
    tests.files.flatMap((file) =>
      file.content === null ? [] : [readTest(file.content, blobs).then((bytes) => ({ ...file, bytes }))],
    ),
  );
  await sandbox.write(
    files
      .filter(({ path }) => !inline.has(path))
      .map((file) => ({ path: `${workdir}/${file.path}`, bytes: file.bytes, executable: file.executable ?? false })),
  );
  await writeTests(
    sandbox,
    workdir,
    files.filter(({ path }) => inline.has(path)).map(({ path, bytes }) => ({ path, text: bytes.toString('utf8') })),
    inline,
  );
  if (tests.patch === undefined || tests.patch.trim() === '') return;
  const path = await patchFile(sandbox, tests.patch);
  const applied = await git(sandbox, workdir, 'apply --whitespace=nowarn', path);
  await mustRun(sandbox, { command: 'rm -f "$1"', args: [path] });
  if (applied.exitCode === 0) return;
  throw new PointsmanError(
    'InvalidInput',
    `problem ${problem.id}: tests.patch does not apply: ${textOf(applied)}`,
    'The patch and the image belong to different commits.',
  );
}

/**
 * Writes test files: of those that hold code too, their tests into what is there. Where there is no file or no module for
 * them they are left out, and do not run.
 */
export async function writeTests(
  sandbox: Sandbox,
  workdir: string,
  files: readonly TestFile[],
  inline: ReadonlySet<string>,
): Promise<void> {
  const tests = await openInlineTests();
  const there = await readAll(
    sandbox,
    workdir,
    files.flatMap(({ path }) => (inline.has(path) ? [path] : [])),
  );
  const texts = files.flatMap(({ path, text }): TestFile[] => {
    if (!inline.has(path)) return [{ path, text }];
    const own = there.get(path);
    const whole = own === undefined ? undefined : tests.put(own, text);
    return whole === undefined ? [] : [{ path, text: whole }];
  });
  await sandbox.write(texts.map(({ path, text }) => ({ path: `${workdir}/${path}`, bytes: Buffer.from(text) })));
}

async function readAll(sandbox: Sandbox, workdir: string, paths: readonly string[]): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const path of paths) {
    const bytes = (await sandbox.read(`${workdir}/${path}`)).get(`${workdir}/${path}`);
    if (bytes) files.set(path, bytes.toString('utf8'));
  }
  return files;
}
