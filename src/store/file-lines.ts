import { createReadStream } from 'node:fs';

/** Lines of a file, one at a time, without their ends. Only a line feed ends one: JSON may hold U+2028 as it is. */
export async function* fileLines(path: string): AsyncGenerator<string> {
  let rest: string[] = [];
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 18 })) {
    const parts = (chunk as string).split('\n');
    rest.push(parts[0]!);
    for (const part of parts.slice(1)) {
      yield rest.join('').replace(/\r$/, '');
      rest = [part];
    }
  }
  const last = rest.join('');
  if (last !== '') yield last.replace(/\r$/, '');
}
