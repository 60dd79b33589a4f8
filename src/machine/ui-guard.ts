import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { isOwnHost } from '../own-host';
import type { UiPlace } from './server-process';

const HOST = '127.0.0.1';
/** How soon it ends after the server that it stands before. */
const LOOK_MS = 1000;

interface Guarding {
  /** Address that it listens on. */
  readonly listen: string;
  /** Address under which it is reached: another one where a container's port is published. */
  readonly reached: string;
}

/**
 * Stands before Temporal's web UI, which answers under any name: a web page that lets its own name point at this machine
 * would read histories there, and end workflows. Passes on what was asked under an address of this machine, and lets no page
 * of others hold it in a frame.
 */
export async function guardUi(
  port: number,
  ui: UiPlace,
  { listen, reached }: Guarding = { listen: HOST, reached: HOST },
): Promise<Server> {
  const server = createServer((asked, answer) => {
    if (isWelcome(asked, reached)) return passOn(asked, answer, ui);
    answer.writeHead(421, { 'content-type': 'text/plain' });
    answer.end('This is the Temporal UI of a machine, which answers to the address of that machine only.\n');
  });
  return new Promise((done, failed) => {
    server.once('error', failed).listen(port, listen, () => done(server));
  });
}

function isWelcome({ headers: { host, origin } }: IncomingMessage, reached: string): boolean {
  if (!isOwnHost(host, reached)) return false;
  return origin === undefined || origin === `http://${host}`;
}

function passOn(asked: IncomingMessage, answer: ServerResponse, { host, port }: UiPlace): void {
  const { method, url: path, headers } = asked;
  const onward = request({ host, port, method, path, headers }, (given) => {
    answer.writeHead(given.statusCode ?? 502, { ...given.headers, 'x-frame-options': 'DENY' });
    given.pipe(answer);
  });
  const end = () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end());
  onward.on('error', end);
  answer.on('close', () => onward.destroy());
  asked.pipe(onward);
}

/** `ui-guard PORT UI-HOST UI-PORT SERVER-PID`, or in a container of its own `ui-guard PORT UI-HOST UI-PORT reached-at ADDRESS`. */
async function main([port, host, uiPort, server, address]: string[]): Promise<void> {
  const ui = { host: host!, port: Number(uiPort) };
  if (server === 'reached-at') {
    await guardUi(Number(port), ui, { listen: '0.0.0.0', reached: address! });
    return;
  }
  await guardUi(Number(port), ui);
  setInterval(() => {
    try {
      process.kill(Number(server), 0);
    } catch {
      process.exit();
    }
  }, LOOK_MS);
}

if (require.main === module) void main(process.argv.slice(2));
