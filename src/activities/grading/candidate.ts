import { randomBytes } from 'node:crypto';
import { type LeftOut, PointsmanError, type Problem } from '../../contract';
import { GIT, mustRun, readTest, textOf } from '../../environments/commands';
import { ReachOf } from '../../grading/reach';
import { restored, sharedAs } from '../../grading/shared-files';
import { hasContext, pathsOfNumstat } from '../../problems/patch';
import type { Sandbox } from '../../sandbox/sandbox';
import type { BlobStore } from '../../store/blobs';

export interface Applied {
  readonly leftOut: readonly LeftOut[];
  /** Why the patch is no change of this repository; undefined when it was applied. */
  readonly failure?: string;
}

/**
 * Brings a candidate's patch into a fresh container: without the files that are not its to change, and with the tables that
 * configure the run put back in files that are shared. `through` are the files that the test command goes through.
 */
export async function applyCandidate(
  sandbox: Sandbox,
  problem: Problem,
  patch: string,
  through: readonly string[],
): Promise<Applied> {
  const { workdir } = problem;
  const reach = new ReachOf({ problem, through });
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

/** Puts the problem's own test files in place, over whatever is there. */
export async function placeTests(sandbox: Sandbox, problem: Problem, blobs: BlobStore): Promise<void> {
  const { workdir, tests } = problem;
  const all = tests.files.map((file) => `${workdir}/${file.path}`);
  if (all.length > 0) {
    // A link or folder in a file's place would lead the writing elsewhere.
    await mustRun(sandbox, { command: 'for f in "$@"; do rm -rf -- "$f" || exit 1; done', args: all });
  }
  const files = await Promise.all(
    tests.files.flatMap((file) =>
      file.content === null ? [] : [readTest(file.content, blobs).then((bytes) => ({ ...file, bytes }))],
    ),
  );
  await sandbox.write(
    files.map((file) => ({ path: `${workdir}/${file.path}`, bytes: file.bytes, executable: file.executable ?? false })),
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

async function readAll(sandbox: Sandbox, workdir: string, paths: readonly string[]): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const path of paths) {
    const bytes = (await sandbox.read(`${workdir}/${path}`)).get(`${workdir}/${path}`);
    if (bytes) files.set(path, bytes.toString('utf8'));
  }
  return files;
}
