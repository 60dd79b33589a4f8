import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A registry of images as the distribution specification has it, as far as pushing and pulling go; all is in memory. */
export async function openRegistry(): Promise<{ place: string; repositories(): string[]; close(): Promise<void> }> {
  const blobs = new Map<string, Buffer>();
  const manifests = new Map<string, { type: string; bytes: Buffer }>();
  const uploads = new Map<string, Buffer[]>();
  const digestOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, 'http://registry');
    const [, repository, kind, name = ''] =
      /^\/v2\/(.+)\/(blobs\/uploads|blobs|manifests)\/(.*)$/.exec(url.pathname) ?? [];
    const answer = (status: number, headers: Record<string, string> = {}, body?: Buffer) => {
      response.writeHead(status, { 'content-length': String(body?.length ?? 0), ...headers });
      response.end(request.method === 'HEAD' ? undefined : body);
    };
    const bytes = await bodyOf(request);
    if (url.pathname === '/v2/') return answer(200);
    if (kind === 'blobs/uploads') {
      const upload = request.method === 'POST' ? randomUUID() : name;
      const parts = [...(uploads.get(upload) ?? []), bytes];
      uploads.set(upload, parts);
      const digest = url.searchParams.get('digest');
      if (digest) blobs.set(digest, Buffer.concat(parts));
      const location = {
        location: `/v2/${repository}/blobs/uploads/${upload}`,
        range: `0-${Buffer.concat(parts).length - 1}`,
      };
      return answer(digest ? 201 : 202, location);
    }
    if (kind === 'manifests' && request.method === 'PUT') {
      const manifest = { type: request.headers['content-type']!, bytes };
      for (const key of [name, digestOf(bytes)]) manifests.set(`${repository}:${key}`, manifest);
      return answer(201, { 'docker-content-digest': digestOf(bytes) });
    }
    const blob = kind === 'blobs' ? blobs.get(name) : undefined;
    const found = blob ? { type: 'application/octet-stream', bytes: blob } : manifests.get(`${repository}:${name}`);
    if (!found) return answer(404);
    return answer(
      200,
      {
        'content-type': found.type,
        'docker-content-digest': digestOf(found.bytes),
        'content-length': String(found.bytes.length),
      },
      found.bytes,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    place: `localhost:${port}/team`,
    repositories: () => [...new Set([...manifests.keys()].map((key) => key.split(':')[0]!))].sort(),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
