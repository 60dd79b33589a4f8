import { type Method, type PlannedRollout, PointsmanError, type RolloutRow } from '../../contract';
import type { Campaigns } from '../../store/campaigns';
import type { CampaignInstance } from './plan';

type Teacher = NonNullable<PlannedRollout['teacher']>;

/** Instances that are named where a campaign has solved too few. */
const NAMED = 5;

/**
 * The instances with what each method with a teacher prefix goes on behind: the shortest trajectory that an expert solved by
 * itself. Throws `InvalidInput` that names those without one.
 */
export async function withTeachers(
  instances: readonly CampaignInstance[],
  methods: readonly Method[],
  campaigns: Pick<Campaigns, 'rows'>,
): Promise<CampaignInstance[]> {
  const found = new Map<string, ReadonlyMap<string, Teacher>>();
  for (const { name, teacherPrefix } of methods) {
    if (!teacherPrefix) continue;
    const teachers = shortestSolved(await campaigns.rows(teacherPrefix.campaign));
    const without = instances.filter(({ id }) => !teachers.has(id)).map(({ id }) => id);
    if (without.length > 0) {
      const names = `${without.slice(0, NAMED).join(', ')}${without.length > NAMED ? ', …' : ''}`;
      throw new PointsmanError(
        'InvalidInput',
        `${name}: ${teacherPrefix.campaign} has no trajectory that its expert solved alone of ${without.length} of the ${instances.length} problems: ${names}`,
        'Name those it has with --only, or roll out more with --methods bc first.',
      );
    }
    found.set(name, teachers);
  }
  if (found.size === 0) return [...instances];
  return instances.map((instance) => ({
    ...instance,
    teachers: Object.fromEntries([...found].map(([name, teachers]) => [name, teachers.get(instance.id)!])),
  }));
}

function shortestSolved(rows: readonly RolloutRow[]): ReadonlyMap<string, Teacher> {
  const teachers = new Map<string, Teacher>();
  for (const { id, instance, outcome, result, copiedSteps } of rows) {
    const alone = outcome === 'finished' && result?.resolved && result.turns.student === 0 && !copiedSteps;
    if (!alone || result.turns.total === 0) continue;
    const known = teachers.get(instance);
    if (!known || result.turns.total < known.steps) teachers.set(instance, { run: id, steps: result.turns.total });
  }
  return teachers;
}
