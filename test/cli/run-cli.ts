import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const CLI = resolve(__dirname, '..', '..', 'bin', 'pointsman');

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * A home of its own, no configuration of whoever runs the tests, and an address where nothing listens: a test that starts
 * a server by mistake fails instead.
 */
function quietly(home: string): Record<string, string | undefined> {
  const own = Object.keys(process.env).filter((name) => /^(POINTSMAN|TEMPORAL)_|^NO_COLOR$/.test(name));
  const cleared = Object.fromEntries(own.map((name) => [name, undefined]));
  return { ...process.env, ...cleared, HOME: home, POINTSMAN_HOME: home, TEMPORAL_ADDRESS: '127.0.0.1:1' };
}

/** The real command line in a process of its own, as a script would call it. */
export async function runCli(
  args: readonly string[],
  { env = {}, stdin = '' }: { env?: Record<string, string>; stdin?: string } = {},
): Promise<Ran> {
  const home = mkdtempSync(join(tmpdir(), 'pointsman-cli-'));
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: home,
    env: { ...quietly(home), ...env },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  child.stdin.end(stdin);
  return new Promise((done, failed) => {
    child.on('error', failed).on('close', (code) => done({ code, stdout, stderr }));
  });
}
