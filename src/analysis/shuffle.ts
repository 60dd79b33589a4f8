import { type Stream, uniformBelow } from '../rollout/random';

/** 0 to n − 1 in a drawn order (Fisher and Yates). */
export function shuffled(n: number, stream: Stream): Int32Array {
  return shuffle(
    Int32Array.from({ length: n }, (_, at) => at),
    stream,
  );
}

/** Puts `values` into a drawn order, in place. */
export function shuffle(values: Int32Array, stream: Stream): Int32Array {
  for (let at = values.length - 1; at > 0; at--) {
    const other = uniformBelow(stream, at + 1);
    const value = values[at]!;
    values[at] = values[other]!;
    values[other] = value;
  }
  return values;
}
