/**
 * Small seeded randomness that gives the same numbers on every machine, inside and outside of a workflow's sandbox.
 * FNV-1a over the key's UTF-16 units seeds splitmix32-style mixing. Not for secrets.
 */
export interface Stream {
  state: number;
}

/** A stream named by `key`. */
export function hashKey(key: string): Stream {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i += 1) {
    const unit = key.charCodeAt(i);
    hash = Math.imul(hash ^ (unit & 0xff), 0x01000193);
    hash = Math.imul(hash ^ (unit >>> 8), 0x01000193);
  }
  return { state: hash >>> 0 };
}

/** The next integer of the stream, uniform over 0..2^32−1. */
function next32(stream: Stream): number {
  stream.state = (stream.state + 0x9e3779b9) >>> 0;
  let mixed = stream.state;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** An integer in [0, n), without the bias of a plain remainder: draws past the last whole multiple of n are repeated. */
export function uniformBelow(stream: Stream, n: number): number {
  const limit = Math.floor(2 ** 32 / n) * n;
  let drawn = next32(stream);
  while (drawn >= limit) drawn = next32(stream);
  return drawn % n;
}

/** A number in [0, 1). */
export function uniformUnit(stream: Stream): number {
  return next32(stream) / 2 ** 32;
}
