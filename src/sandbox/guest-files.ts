import type Docker from 'dockerode';
import { extract, pack } from 'tar-stream';
import { statusOf } from './engine';

export interface GuestFile {
  /** Absolute path in the container. */
  readonly path: string;
  readonly bytes: Buffer;
  readonly executable?: boolean;
  /** Target, for a symbolic link; then `bytes` are not used. */
  readonly link?: string;
}

/** Writes files through the engine, owned by root; no process of the container takes part. Folders are made as needed. */
export async function putFiles(container: Docker.Container, files: readonly GuestFile[]): Promise<void> {
  if (files.length === 0) return;
  const tar = pack();
  const done = collect(tar);
  for (const file of files) {
    const header = { name: file.path.replace(/^\/+/, ''), mtime: new Date(), mode: file.executable ? 0o755 : 0o644 };
    if (file.link !== undefined) tar.entry({ ...header, type: 'symlink', linkname: file.link });
    else tar.entry(header, file.bytes);
  }
  tar.finalize();
  await container.putArchive(await done, { path: '/' });
}

/** Regular files at and below a path, by absolute path; empty when it does not exist. Read by the engine. */
export async function getFiles(container: Docker.Container, path: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const archive = await container.getArchive({ path }).catch((error: unknown) => {
    if (statusOf(error) === 404) return undefined;
    throw error;
  });
  if (!archive) return files;
  const parent = path.replace(/\/+$/, '').replace(/[^/]*$/, '');
  const untar = extract();
  archive.on('error', (error: Error) => untar.destroy(error));
  archive.pipe(untar);
  for await (const entry of untar) {
    const { name, type } = entry.header;
    if (type === 'file') files.set(`${parent}${name}`, await collect(entry));
    else entry.resume();
  }
  return files;
}

/** A tar stream's types are its own; what it gives are buffers. */
async function collect(stream: object): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
