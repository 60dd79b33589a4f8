import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';

/** The wanted port where it is free, else some free one. */
export async function freePort(wanted = 0, host = '127.0.0.1'): Promise<number> {
  return taken(wanted, host).catch(() => taken(0, host));
}

export async function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return taken(port, host).then(
    () => true,
    () => false,
  );
}

/** Whether somebody accepts connections there; gRPC's own attempt would take seconds to give up. */
export async function listens(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port, timeout: 1000 });
  return new Promise<boolean>((resolve) => {
    socket
      .on('connect', () => resolve(true))
      .on('error', () => resolve(false))
      .on('timeout', () => resolve(false));
  }).finally(() => socket.destroy());
}

/**
 * Whether it is that process that accepts connections on the port of this machine: somebody else may have been quicker, and
 * answers in its place. Of processes of this account.
 */
export function holds(pid: number, port: number): boolean {
  if (process.platform !== 'linux') {
    const asked = ['-nP', '-a', '-p', `${pid}`, `-iTCP:${port}`, '-sTCP:LISTEN'];
    return spawnSync('lsof', asked, { stdio: 'ignore' }).status === 0;
  }
  try {
    const open = new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)));
    return ['tcp', 'tcp6'].some((table) =>
      readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .some(
          ([, local, , state, , , , , , inode]) =>
            // 0A: it listens.
            state === '0A' && Number.parseInt(local?.split(':')[1] ?? '', 16) === port && open.has(`socket:[${inode}]`),
        ),
    );
  } catch {
    // It has ended.
    return false;
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function taken(port: number, host: string): Promise<number> {
  return new Promise((done, failed) => {
    const probe = createServer()
      .once('error', failed)
      .listen(port, host, () => {
        const address = probe.address() as { port: number };
        probe.close(() => done(address.port));
      });
  });
}
