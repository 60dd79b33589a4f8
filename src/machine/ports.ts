import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';

/**
 * Below what the kernel gives to connections that go out and to whoever asks for any port: one of those may be taken again
 * before the process that it was found for listens there.
 */
const [LOWEST, ABOVE] = [10_000, 32_768];

/** The wanted port where it is free, else some free one. Throws what the host says where none of it can be listened on. */
export async function freePort(wanted = 0, host = '127.0.0.1'): Promise<number> {
  if (wanted !== 0 && (await isFree(wanted, host))) return wanted;
  for (let tries = 0; tries < 100; tries += 1) {
    const port = randomInt(LOWEST, ABOVE);
    if (await isFree(port, host)) return port;
  }
  return probe(0, host);
}

export async function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return probe(port, host).then(
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

function probe(port: number, host: string): Promise<number> {
  return new Promise((done, failed) => {
    const server = createServer()
      .once('error', failed)
      .listen(port, host, () => {
        const address = server.address() as { port: number };
        server.close(() => done(address.port));
      });
  });
}
