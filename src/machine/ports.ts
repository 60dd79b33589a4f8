import { connect, createServer } from 'node:net';

/** The wanted port where it is free, else some free one. */
export async function freePort(wanted = 0, host = '127.0.0.1'): Promise<number> {
  return taken(wanted, host).catch(() => taken(0, host));
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
