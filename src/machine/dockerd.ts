import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PointsmanError } from '../contract/errors';
import { readableByAll, room } from '../home';
import { lastLines, onPath, type Report, readText, runCommand } from './command';

interface Attempt {
  readonly args: readonly string[];
  readonly path?: string;
  /** What a person should know about an engine that runs with this. */
  readonly note?: string;
}

/**
 * Starts the Docker daemon: through systemd where it runs the machine, else as a process of its own. When it ends for a
 * reason that we know a way around, takes that way and says so.
 */
export async function startEngine(report: Report, answers: () => Promise<boolean>): Promise<void> {
  // The package may have started it while it was installed.
  if (await answers()) return;
  if (existsSync('/run/systemd/system')) {
    report('systemctl start docker');
    await runCommand('systemctl', ['start', 'docker'], { timeoutMs: 60_000, hint: 'See `journalctl -u docker`.' });
    if (await waitFor(answers, () => false)) return;
  }
  forgetDeadDaemons();
  const log = join(room('run'), 'dockerd.log');
  let attempt: Attempt = { args: [] };
  for (let tries = 0; ; tries++) {
    report(`starting dockerd${attempt.note ? `, ${attempt.note}` : ''}`);
    const before = readText(log)?.length ?? 0;
    const daemon = launch(attempt, log);
    if (await waitFor(answers, daemon.ended)) return;
    daemon.stop();
    const said = (readText(log) ?? '').slice(before);
    const next = tries < 4 ? wayAround(said, attempt) : undefined;
    if (!next) {
      throw new PointsmanError(
        'Unavailable',
        `dockerd does not start:\n${lastLines(said)}`,
        `The whole log: ${log}. In a container, the engine needs --privileged, or the host's socket mounted.`,
      );
    }
    attempt = next;
  }
}

/**
 * Removes the pid files that a killed machine left: the daemon takes any living process with that number for its own
 * containerd, waits for it and gives up. Removes none whose process runs the program. `runFolder` is told by tests.
 */
export function forgetDeadDaemons(runFolder = '/var/run'): void {
  for (const [file, program] of [
    ['docker.pid', 'dockerd'],
    ['docker/containerd/containerd.pid', 'containerd'],
  ] as const) {
    const path = join(runFolder, file);
    const pid = readText(path)?.trim();
    if (pid && readText(`/proc/${pid}/comm`)?.trim() !== program) rmSync(path, { force: true });
  }
}

/** The next thing to try, judged by what the daemon said before it ended. Exported for its test. */
export function wayAround(said: string, last: Attempt): Attempt | undefined {
  if (
    /iptables|ip6tables|nf_tables|NAT chain/i.test(said) &&
    /failed to start daemon|error initializing network/i.test(said)
  ) {
    // Kernels without nf_tables refuse Debian's default iptables and take the legacy one, which needs no system change.
    const legacy = legacyIptables();
    if (legacy && !last.path) return { ...last, path: legacy, note: 'with the legacy iptables' };
    if (!last.args.includes('--iptables=false')) {
      const args = [...last.args, '--iptables=false', '--ip6tables=false', '--ip-masq=false'];
      return { ...last, args, note: 'without iptables: containers will reach no network' };
    }
  }
  if (/graphdriver|storage[- ]driver|overlay/i.test(said) && !last.args.includes('--storage-driver=vfs')) {
    return {
      ...last,
      args: [...last.args, '--storage-driver=vfs'],
      note: 'with the vfs storage driver: snapshots will be slow and large',
    };
  }
  return undefined;
}

function launch(attempt: Attempt, log: string): { ended(): boolean; stop(): void } {
  const output = openSync(log, 'a');
  const path = [attempt.path, process.env.PATH, '/usr/sbin', '/sbin'].filter(Boolean).join(delimiter);
  const program = onPath('dockerd')[0] ?? 'dockerd';
  const child = readableByAll(() =>
    spawn(program, attempt.args, {
      detached: true,
      stdio: ['ignore', output, output],
      env: { ...process.env, PATH: path },
    }),
  );
  closeSync(output);
  child.unref();
  let ended = false;
  child.on('error', () => (ended = true)).on('exit', () => (ended = true));
  return { ended: () => ended, stop: () => void (ended || child.kill('SIGTERM')) };
}

async function waitFor(answers: () => Promise<boolean>, ended: () => boolean): Promise<boolean> {
  const deadline = performance.now() + 40_000;
  while (performance.now() < deadline) {
    if (await answers()) return true;
    if (ended()) return false;
    await sleep(200);
  }
  return false;
}

/** A folder in which `iptables` is the legacy program, to be put first on the daemon's PATH. */
function legacyIptables(): string | undefined {
  const folder = join(room('tools'), 'legacy-iptables');
  const programs = ['iptables', 'ip6tables'].map((name) => ({ name, legacy: onPath(`${name}-legacy`)[0] }));
  if (!programs[0]?.legacy) return undefined;
  mkdirSync(folder, { recursive: true });
  for (const { name, legacy } of programs) {
    if (!legacy) continue;
    rmSync(join(folder, name), { force: true });
    symlinkSync(legacy, join(folder, name));
  }
  return folder;
}
