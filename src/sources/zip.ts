import { inflateRawSync } from 'node:zlib';
import { refused, type TreeBuilder } from './tree';

/** Reads a zip by its central directory, which is what unzip programs believe. */
export function readZip(bytes: Buffer, source: string, into: TreeBuilder): void {
  let end = bytes.length - 22;
  while (end >= 0 && bytes.readUInt32LE(end) !== 0x06054b50) end--;
  if (end < 0) throw refused(source, 'the zip file has no end');
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    const [method, packed, size] = [
      bytes.readUInt16LE(at + 10),
      bytes.readUInt32LE(at + 20),
      bytes.readUInt32LE(at + 24),
    ];
    const [nameBytes, extra, comment] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const mode = bytes.readUInt32LE(at + 38) >>> 16;
    const local = bytes.readUInt32LE(at + 42);
    const path = bytes.subarray(at + 46, at + 46 + nameBytes).toString('utf8');
    at += 46 + nameBytes + extra + comment;
    into.enter();
    if (path.endsWith('/')) continue;
    into.count(size);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const raw = bytes.subarray(start, start + packed);
    // A directory that announces less than it packs is cut short by the inflater, and refused.
    const body = method === 0 ? Buffer.from(raw) : inflateRawSync(raw, { maxOutputLength: size + 1 });
    if (body.length !== size) throw refused(source, `${path} is not as long as the zip file announces`);
    if ((mode & 0o170000) === 0o120000) into.link(path, body.toString('utf8'));
    else into.file(path, body, (mode & 0o100) !== 0);
  }
}
