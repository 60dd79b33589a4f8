import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** What becomes of the next requests, one each; then they pass. */
export type Fault = 'answers 500' | 'answers 503' | 'breaks before' | 'breaks off the answer' | 'breaks after';

/** A line to a real server that can be told to fail. */
export async function faultyLine(port: number): Promise<{
  readonly endpoint: string;
  readonly faults: Fault[];
  seen(): number;
  close(): Promise<void>;
}> {
  const faults: Fault[] = [];
  let seen = 0;
  const sockets = new Set<Socket>();
  const server = createServer(async (from, to) => {
    seen += 1;
    const fault = faults.shift();
    const body = await bodyOf(from);
    if (fault === 'breaks before') return void from.socket.destroy();
    if (fault === 'answers 500' || fault === 'answers 503') return void to.writeHead(Number(fault.slice(-3))).end();
    const { method, url: path, headers } = from;
    const on = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      if (fault === 'breaks after') answer.resume().on('end', () => from.socket.destroy());
      else if (fault === 'breaks off the answer') breakOff(answer, to);
      else answer.pipe(to.writeHead(answer.statusCode ?? 500, answer.headers));
    });
    on.on('error', () => from.socket.destroy());
    on.end(body);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    seen: () => seen,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Half of what came first, then nothing; an answer without a body breaks off in its head. */
function breakOff(answer: IncomingMessage, to: ServerResponse): void {
  answer.once('end', () => to.socket?.destroy());
  to.writeHead(answer.statusCode ?? 500, answer.headers);
  answer.once('data', (chunk: Buffer) => {
    to.write(chunk.subarray(0, chunk.length >> 1), () => to.socket?.destroy());
    answer.destroy();
  });
}

async function bodyOf(stream: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
