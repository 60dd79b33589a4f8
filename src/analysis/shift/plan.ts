import {
  type CovariateShiftInput,
  nearest,
  PointsmanError,
  type RolloutRow,
  type ShiftGroup,
  type ShiftPlan,
  type ShiftTrajectory,
} from '../../contract';
import { hashKey } from '../../rollout/random';
import { shuffled } from '../shuffle';

export interface GroupRows {
  readonly group: ShiftGroup;
  readonly rows: readonly RolloutRow[];
}

/** Of which instances and trajectories the shift is measured. Throws `InvalidInput` where nothing can be compared. */
export function planOf(
  expert: GroupRows,
  students: readonly GroupRows[],
  { instances: asked, seed }: Pick<CovariateShiftInput, 'instances' | 'seed'>,
): ShiftPlan {
  const groups = [expert, ...students].map(({ group, rows }) => ({ name: group.name, rows: taking(group, rows) }));
  refuseDoubles(groups.map(({ name }) => name));
  const instances = asked.length > 0 ? [...asked].sort() : shared(groups.map(({ rows }) => rows));
  if (instances.length === 0) {
    throw new PointsmanError(
      'InvalidInput',
      'instances: there is none that all groups have rollouts of',
      'The groups must be rollouts of the same problems.',
    );
  }
  const chosen = new Set(instances);
  const trajectories = new Map<string, ShiftTrajectory>();
  for (const { name, rows } of groups) {
    const of = rows.filter(({ instance }) => chosen.has(instance));
    if (of.length < 2) {
      throw new PointsmanError(
        'InvalidInput',
        `${name}: ${of.length} rollouts of the instances that are compared, and a distribution needs 2 at least`,
        'Name instances that all groups have, or leave `instances` out.',
      );
    }
    for (const { id, instance, result } of of) {
      const known = trajectories.get(id);
      if (known && known.groups[0] === expert.group.name) refuseShared(id, expert.group.name, name);
      const { head, turns, handOver } = result!;
      const other = handOver.reason === undefined || handOver.reason === 'policy' ? {} : { handOver: handOver.reason };
      const groupsOf = [...(known?.groups ?? []), name];
      trajectories.set(id, { id, instance, head, turns: turns.total, groups: groupsOf, ...other });
    }
  }
  const sorted = [...trajectories.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const order = shuffled(sorted.length, hashKey(`order ${seed}`));
  return { instances, trajectories: [...order].map((at) => sorted[at]!) };
}

/** Rollouts that have a trajectory. Throws where the method that was asked for has none. */
function taking({ name, method, handOvers }: ShiftGroup, rows: readonly RolloutRow[]): RolloutRow[] {
  const methods = [...new Set(rows.map((row) => row.method))];
  if (method !== undefined && !methods.includes(method)) {
    const close = nearest(method, methods);
    throw new PointsmanError(
      'InvalidInput',
      `${name}: no rollout of method "${method}"${close ? `, did you mean "${close}"?` : ` (there are: ${methods.join(', ') || 'none'})`}`,
      'Methods are named as the campaign named them.',
    );
  }
  return rows.filter(({ method: of, result }) => {
    const why = result?.handOver.reason;
    const wanted = handOvers === undefined || why === undefined || handOvers.includes(why);
    return (method === undefined || of === method) && result !== null && result.turns.total > 0 && wanted;
  });
}

function shared(groups: readonly (readonly RolloutRow[])[]): string[] {
  const sets = groups.map((rows) => new Set(rows.map(({ instance }) => instance)));
  return [...sets[0]!].filter((instance) => sets.every((each) => each.has(instance))).sort();
}

function refuseDoubles(names: readonly string[]): void {
  const double = names.find((name, at) => names.indexOf(name) !== at);
  if (double === undefined) return;
  throw new PointsmanError('InvalidInput', `two groups are named "${double}"`, 'Names tell them apart in plots.');
}

function refuseShared(id: string, expert: string, student: string): never {
  throw new PointsmanError(
    'InvalidInput',
    `rollout ${id} is in ${expert} and in ${student}: it would be compared with itself`,
    'Give `method` where both come from one campaign.',
  );
}
