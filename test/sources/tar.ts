import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

export interface Entry {
  readonly name: string;
  readonly type?: 'file' | 'symlink' | 'link' | 'character-device';
  readonly linkname?: string;
}

/** A compressed archive whose files all hold `body`. */
export async function tar(entries: readonly Entry[], body: Buffer | string = 'x'): Promise<Buffer> {
  const packed = pack();
  for (const { name, type = 'file', linkname } of entries)
    packed.entry({ name, type, linkname }, type === 'file' ? body : '');
  packed.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of packed as unknown as AsyncIterable<Buffer>) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}
