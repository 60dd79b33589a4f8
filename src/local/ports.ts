import { createServer } from 'node:net';

/** The wanted port of the loopback address where it is free, else some free one. */
export async function freePort(wanted = 0): Promise<number> {
  return taken(wanted).catch(() => taken(0));
}

function taken(port: number): Promise<number> {
  return new Promise((done, failed) => {
    const probe = createServer()
      .once('error', failed)
      .listen(port, '127.0.0.1', () => {
        const address = probe.address() as { port: number };
        probe.close(() => done(address.port));
      });
  });
}
