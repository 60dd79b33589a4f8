import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PointsmanError, type Ref } from '../contract';
import type { Guest, GuestCommand, GuestResult } from '../sandbox/sandbox';
import type { BlobStore } from '../store/blobs';

/** No hook, filter or ownership check of the container's git configuration takes part. */
export const GIT = 'git -c safe.directory=* -c core.hooksPath=/dev/null -c core.autocrlf=false -c core.quotepath=off';

export async function readTest(content: Ref | string | { base64: string }, blobs: BlobStore): Promise<Buffer> {
  if (typeof content === 'string') return Buffer.from(content);
  return 'base64' in content ? Buffer.from(content.base64, 'base64') : blobs.get(content.sha256);
}

/** Runs a command of ours, whose failure is an outage and never a verdict. */
export async function mustRun(sandbox: Guest, request: GuestCommand): Promise<GuestResult> {
  const result = await sandbox.exec({ timeoutMs: 300_000, ...request });
  if (result.exitCode === 0) return result;
  throw failed(request.command.slice(0, 120), result);
}

/** An outage: what ran in the sandbox and how it ended. */
export function failed(what: string, result: GuestResult): PointsmanError {
  return new PointsmanError(
    'SandboxFailed',
    `in the sandbox, exit code ${result.exitCode}: ${what}: ${textOf(result)}`,
    'The image may lack bash, git or coreutils.',
  );
}

/** Runs a script of `guest/` in the work directory, with git as we call it; `$1`, `$2`, ... are `args`, and `input` its standard input. */
export async function runScript(
  sandbox: Guest,
  cwd: string,
  script: string,
  args: readonly string[] = [],
  input?: Buffer,
): Promise<GuestResult> {
  const [shared, own] = ['git', script].map((name) => readFileSync(join(__dirname, 'guest', `${name}.sh`), 'utf8'));
  const command = `git() { command ${GIT} "$@"; }\n${shared}${own}`;
  return sandbox.exec({ command, args, cwd, input, timeoutMs: 300_000 });
}

/** The same for one whose failure is an outage. */
export async function mustRunScript(
  sandbox: Guest,
  cwd: string,
  script: string,
  args?: readonly string[],
): Promise<GuestResult> {
  const result = await runScript(sandbox, cwd, script, args);
  if (result.exitCode === 0) return result;
  throw failed(`${script}.sh`, result);
}

export function textOf(result: GuestResult): string {
  return `${result.stderr.toString('utf8')}${result.stdout.toString('utf8')}`.trim().slice(-600);
}
