import { spawn } from 'node:child_process';
import { accessSync, closeSync, constants, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { PointsmanError } from '../contract/errors';
import { readableByAll } from '../home';

/** Says what a slow step is doing right now. Not called when there is nothing to do. */
export type Report = (doing: string) => void;

/** What a step found or made. */
export interface Provided {
  readonly what: string;
  readonly found: string;
  /** False when it was there already. */
  readonly made: boolean;
}

export interface CommandOptions {
  readonly timeoutMs: number;
  readonly env?: Record<string, string>;
  /** What a person should do when the command fails. */
  readonly hint?: string;
}

/** Runs a program to its end and gives its output; `Unavailable` with its last lines when it fails. */
export async function runCommand(program: string, args: readonly string[], options: CommandOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = readableByAll(() =>
      spawn(program, args, {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...options.env },
        timeout: options.timeoutMs,
      }),
    );
    let output = '';
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-200_000);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const failed = (how: string) => {
      const line = [program, ...args].join(' ').slice(0, 120);
      reject(new PointsmanError('Unavailable', `\`${line}\` ${how}\n${lastLines(output)}`.trim(), options.hint));
    };
    child.on('error', (error) => failed(error.message));
    child.on('close', (code, signal) => {
      if (code === 0) resolve(output);
      else failed(signal ? `was stopped after ${options.timeoutMs / 1000} s (${signal})` : `ended with ${code}`);
    });
  });
}

/** The end of a program's output: where it says why it failed. */
export function lastLines(text: string, count = 8): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}

/** Every executable of that name on PATH, in PATH's order. */
export function onPath(name: string): string[] {
  // Daemons live in sbin, which an ordinary user's PATH leaves out.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin'];
  const paths = [...new Set(folders)].filter(Boolean).map((folder) => join(folder, name));
  return paths.filter(isExecutable);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** True for a `#!` file: version managers put such shims on PATH, and some of them lead nowhere. */
export function isScript(path: string): boolean {
  const start = Buffer.alloc(2);
  const file = openSync(path, 'r');
  try {
    readSync(file, start, 0, 2, 0);
  } finally {
    closeSync(file);
  }
  return start.toString('latin1') === '#!';
}

/** Root on Debian or one of its children: the machines on which set-up may install packages by itself. */
export function canInstallPackages(): boolean {
  if (process.getuid?.() !== 0 || onPath('apt-get').length === 0) return false;
  const release = readText('/etc/os-release') ?? '';
  return /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(release);
}

/** Held by whoever of us installs packages: apt itself gives up at once where another apt runs. */
const PACKAGES_LOCK = '/var/lock/pointsman-packages';

/** Installs Debian packages without questions and without what they only recommend. Several at once wait for each other. */
export async function installPackages(names: readonly string[], report: Report, hint: string): Promise<void> {
  const options = { timeoutMs: 900_000, env: { DEBIAN_FRONTEND: 'noninteractive' }, hint };
  // The lock of dpkg may be somebody else's, like that of unattended upgrades.
  const apt = ['--timeout', '600', PACKAGES_LOCK, 'apt-get', '-q', '-o', 'DPkg::Lock::Timeout=300'];
  report('apt-get update');
  await runCommand('flock', [...apt, 'update'], options);
  report(`apt-get install ${names.join(' ')}`);
  await runCommand('flock', [...apt, 'install', '-y', '--no-install-recommends', ...names], options);
}

export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

const OPENERS: Readonly<Record<string, readonly string[]>> = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] };

/** Shows a file or an address in the person's browser. Where there is none nothing happens: its path was printed. */
export function openPage(target: string): void {
  const [command = '', ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  spawn(command, [...args, target], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}
