/** The rollouts of two policies that still run at a turn, as rows of one Gram matrix: the student's first, then the expert's. */
export interface TwoGroups {
  /** Instance of each row. */
  readonly instances: readonly string[];
  /** Rows of the student; all after them are the expert's. */
  readonly students: number;
}

/** Rollouts that are compared with each other: all of them, or those of one instance. */
export interface Stratum {
  readonly student: Int32Array;
  readonly expert: Int32Array;
}

/**
 * Strata in which both policies have two rollouts at least, because a Gaussian of one has no covariance. Rows stand in the
 * order of their instances, so that shuffled labels leave each place its instance.
 */
export function strataOf(groups: TwoGroups, over: 'pooled' | 'per_instance'): Stratum[] {
  const blocks = rowsByInstance(groups);
  const strata = over === 'pooled' ? [blocks.flat()] : blocks;
  return strata
    .map((rows) => ({
      student: Int32Array.from(rows.filter((row) => row < groups.students)),
      expert: Int32Array.from(rows.filter((row) => row >= groups.students)),
    }))
    .filter(({ student, expert }) => student.length >= 2 && expert.length >= 2);
}

/** Rows of each instance, instances by name. */
export function rowsByInstance({ instances }: TwoGroups): number[][] {
  const blocks = new Map<string, number[]>();
  for (const [row, instance] of instances.entries()) {
    const block = blocks.get(instance);
    if (block) block.push(row);
    else blocks.set(instance, [row]);
  }
  return [...blocks].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, rows]) => rows);
}
