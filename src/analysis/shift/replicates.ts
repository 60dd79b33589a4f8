import { type Stream, uniformBelow } from '../../rollout/random';
import { shuffled } from '../shuffle';

/** How replicates are drawn of the rollouts of a group. */
export interface ReplicateRule {
  /** Rollouts in a replicate. */
  readonly size: number;
  /** Replicates drawn with replacement where there are too few rollouts for two disjoint ones. */
  readonly bootstrapped: number;
}

export interface Replicates {
  /** Each of `size` positions in the group. */
  readonly positions: readonly Int32Array[];
  readonly bootstrapped: boolean;
}

/**
 * Disjoint replicates of `n` rollouts in a drawn order, the rest left out; with fewer than two of them, replicates drawn with
 * replacement (OEC, section 4.3). `n` is 2 at least.
 */
export function replicatesOf(n: number, { size, bootstrapped }: ReplicateRule, stream: Stream): Replicates {
  const disjoint = Math.floor(n / size);
  if (disjoint < 2) return { positions: bootstrap(0, n, size, bootstrapped, stream), bootstrapped: true };
  const order = shuffled(n, stream);
  const positions = Array.from({ length: disjoint }, (_, at) => order.slice(at * size, (at + 1) * size));
  return { positions, bootstrapped: false };
}

/**
 * Replicates of two halves of one group that share no rollout: what their distances show is made by the small numbers alone.
 * Undefined for fewer than four rollouts.
 */
export function halvesOf(
  n: number,
  { size, bootstrapped }: ReplicateRule,
  stream: Stream,
): readonly [readonly Int32Array[], readonly Int32Array[]] | undefined {
  if (n < 4) return undefined;
  const half = Math.floor(n / 2);
  const order = shuffled(n, stream);
  if (Math.floor(n / size) >= 2) {
    const { positions } = replicatesOf(n, { size, bootstrapped }, stream);
    const middle = Math.floor(positions.length / 2);
    return [positions.slice(0, middle), positions.slice(middle)];
  }
  const of = (from: number, count: number) =>
    bootstrap(from, count, size, bootstrapped, stream).map((each) => each.map((at) => order[at]!));
  return [of(0, half), of(half, n - half)];
}

/** Without two different rollouts a replicate would have no covariance, so such a draw is made again. */
function bootstrap(from: number, n: number, size: number, count: number, stream: Stream): Int32Array[] {
  return Array.from({ length: count }, () => {
    for (;;) {
      const drawn = Int32Array.from({ length: size }, () => from + uniformBelow(stream, n));
      if (n < 2 || drawn.some((at) => at !== drawn[0])) return drawn;
    }
  });
}
