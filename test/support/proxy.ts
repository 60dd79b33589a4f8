import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** What becomes of a request: it is passed on, later, or answered so. */
export interface Fate {
  readonly afterMs?: number;
  readonly status?: number;
  readonly headers?: OutgoingHttpHeaders;
}

/** Stands before a server of this machine and does to its requests what it is told to. */
export async function openProxy(
  port: number,
  behind: number,
  fateOf: (asked: IncomingMessage) => Fate,
): Promise<{ close(): Promise<void> }> {
  const server = createServer(async (asked, answer) => {
    const { afterMs = 0, status, headers } = fateOf(asked);
    if (afterMs > 0) await sleep(afterMs);
    if (status === undefined) return passOn(asked, answer, behind);
    asked.resume();
    answer.writeHead(status, headers).end();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function passOn(asked: IncomingMessage, answer: ServerResponse, port: number): void {
  const { method, url, headers } = asked;
  const passed = request({ port, host: '127.0.0.1', method, path: url, headers }, (given) => {
    answer.writeHead(given.statusCode ?? 502, given.headers);
    given.pipe(answer);
  });
  passed.on('error', () => answer.destroy());
  asked.pipe(passed);
}
