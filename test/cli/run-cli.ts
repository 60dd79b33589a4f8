import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const REPOSITORY = resolve(__dirname, '..', '..');

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A home of its own, and an address where nothing listens: a test that starts a server by mistake fails instead. */
export function quietHome(): Record<string, string> {
  return { SWITCHYARD_HOME: mkdtempSync(join(tmpdir(), 'switchyard-cli-')), TEMPORAL_ADDRESS: '127.0.0.1:1' };
}

/** The real command line in a process of its own, as a script would call it. */
export async function runCli(
  args: readonly string[],
  { env = {}, stdin = '', cwd = REPOSITORY }: { env?: Record<string, string>; stdin?: string; cwd?: string } = {},
): Promise<Ran> {
  const cli = join(REPOSITORY, 'src', 'cli.ts');
  const tsx = require.resolve('tsx');
  const child = spawn(process.execPath, ['--import', tsx, cli, ...args], {
    cwd,
    env: { ...process.env, ...quietHome(), NO_COLOR: '', ...env },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  child.stdin.end(stdin);
  return new Promise((done, failed) => {
    child.on('error', failed).on('close', (code) => done({ code, stdout, stderr }));
  });
}
