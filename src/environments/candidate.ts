import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Flag, PointsmanError, type Problem, type Ref } from '../contract';
import { inspectPatch, refusedPath } from '../problems/inspect';
import { hasContext, pathsOfNumstat } from '../problems/patch';
import { mayConfigurePytest, pytestSection } from '../problems/pytest-config';
import type { GuestCommand, GuestResult, Sandbox } from '../sandbox/sandbox';
import type { BlobStore } from '../store/blobs';

/** No hook, filter or ownership check of the container's git configuration takes part. */
export const GIT = 'git -c safe.directory=* -c core.hooksPath=/dev/null -c core.autocrlf=false -c core.quotepath=off';

export interface Applied {
  readonly flags: Flag[];
  /** Why the patch is no change of this repository; undefined when it was applied. */
  readonly failure?: string;
}

/**
 * Brings a candidate's patch into a fresh container: without the files that no patch may bring, and with pytest's own
 * settings put back. A patch whose context has moved is tried as a three-way merge before it is given up.
 */
export async function applyCandidate(sandbox: Sandbox, problem: Problem, patch: string): Promise<Applied> {
  const { workdir } = problem;
  const inspection = inspectPatch(patch, problem);
  const flags = [...inspection.flags];
  if (inspection.allowed.trim() === '') {
    const unread = patch.trim() !== '' && inspection.touched.length === 0;
    return unread ? { flags, failure: 'no file could be read from the patch' } : { flags };
  }
  const path = `/tmp/${randomBytes(8).toString('hex')}.patch`;
  await sandbox.write([{ path, bytes: Buffer.from(inspection.allowed) }]);
  const byLine = hasContext(inspection.allowed) ? '' : ' --unidiff-zero';
  const git = (command: string) =>
    sandbox.exec({ command: `${GIT} ${command} "$1"`, args: [path], cwd: workdir, timeoutMs: 120_000 });
  const numstat = await git(`apply --numstat -z${byLine}`);
  if (numstat.exitCode !== 0) return { flags, failure: textOf(numstat) };
  // Git's own reading decides: a header that we read otherwise must not smuggle a path past us.
  const smuggled = pathsOfNumstat(numstat.stdout.toString('utf8')).flatMap((each) => refusedPath(each, problem) ?? []);
  if (smuggled.length > 0) return { flags: [...flags, ...smuggled], failure: 'the patch hides what it touches' };
  const configs = inspection.touched.filter((each) => mayConfigurePytest(each) && !inspection.dropped.includes(each));
  const before = await readAll(sandbox, workdir, configs);
  let applied = await git(`apply --whitespace=nowarn${byLine}`);
  if (applied.exitCode !== 0) {
    // A committed image's files have new inodes, which a merge would take for changes.
    await sandbox.exec({ command: `${GIT} update-index -q --refresh`, cwd: workdir, timeoutMs: 120_000 });
    const merged = await git('apply --whitespace=nowarn --3way');
    if (merged.exitCode !== 0) return { flags, failure: textOf(applied) };
    applied = merged;
    await sandbox.exec({ command: `${GIT} reset -q`, cwd: workdir, timeoutMs: 120_000 });
  }
  await sandbox.exec({ command: 'rm -f "$1"', args: [path] });
  const after = await readAll(sandbox, workdir, configs);
  for (const config of configs) {
    const [old, now] = [before.get(config), after.get(config)];
    const same =
      pytestSection(config, old?.toString('utf8') ?? '') === pytestSection(config, now?.toString('utf8') ?? '');
    if (same) continue;
    flags.push({ kind: 'touches_test_config', detail: config });
    await restore(sandbox, `${workdir}/${config}`, old);
  }
  return { flags };
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
  const path = `/tmp/${randomBytes(8).toString('hex')}.patch`;
  await sandbox.write([{ path, bytes: Buffer.from(tests.patch) }]);
  const applied = await sandbox.exec({
    cwd: workdir,
    args: [path],
    command: `${GIT} apply --whitespace=nowarn "$1"`,
  });
  await mustRun(sandbox, { command: 'rm -f "$1"', args: [path] });
  if (applied.exitCode === 0) return;
  throw new PointsmanError(
    'InvalidInput',
    `problem ${problem.id}: tests.patch does not apply: ${textOf(applied)}`,
    'The patch and the image belong to different commits.',
  );
}

export async function readTest(content: Ref | string | { base64: string }, blobs: BlobStore): Promise<Buffer> {
  if (typeof content === 'string') return Buffer.from(content);
  return 'base64' in content ? Buffer.from(content.base64, 'base64') : blobs.get(content.sha256);
}

/** Runs a command of ours, whose failure is an outage and never a verdict. */
export async function mustRun(sandbox: Sandbox, request: GuestCommand): Promise<GuestResult> {
  const result = await sandbox.exec({ timeoutMs: 300_000, ...request });
  if (result.exitCode === 0) return result;
  throw failed(request.command.slice(0, 120), result);
}

function failed(what: string, result: GuestResult): PointsmanError {
  return new PointsmanError(
    'SandboxFailed',
    `in the sandbox, exit code ${result.exitCode}: ${what}: ${textOf(result)}`,
    'The image may lack bash, git or coreutils.',
  );
}

/** Runs a script of `guest/` in the work directory, with git as we call it. Its failure is an outage too. */
export async function mustRunScript(sandbox: Sandbox, cwd: string, script: string): Promise<GuestResult> {
  const [shared, own] = ['git', script].map((name) => readFileSync(join(__dirname, 'guest', `${name}.sh`), 'utf8'));
  const result = await sandbox.exec({
    command: `git() { command ${GIT} "$@"; }\n${shared}${own}`,
    cwd,
    timeoutMs: 300_000,
  });
  if (result.exitCode === 0) return result;
  throw failed(`${script}.sh`, result);
}

export function textOf(result: GuestResult): string {
  return `${result.stderr.toString('utf8')}${result.stdout.toString('utf8')}`.trim().slice(-600);
}

async function readAll(sandbox: Sandbox, workdir: string, paths: readonly string[]) {
  const files = new Map<string, Buffer>();
  for (const path of paths) {
    const bytes = (await sandbox.read(`${workdir}/${path}`)).get(`${workdir}/${path}`);
    if (bytes) files.set(path, bytes);
  }
  return files;
}

async function restore(sandbox: Sandbox, path: string, bytes: Buffer | undefined): Promise<void> {
  await mustRun(sandbox, { command: 'rm -rf -- "$1"', args: [path] });
  if (bytes) await sandbox.write([{ path, bytes }]);
}
