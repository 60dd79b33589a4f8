import { createHash } from 'node:crypto';
import type { CampaignInput, Method, PlannedRollout, Ref } from '../../contract';
import { hashKey, uniformBelow } from '../../rollout/random';

/** An instance of a campaign: the problem is a blob, so that nothing which happens to its file changes the campaign. */
export interface CampaignInstance {
  readonly id: string;
  /** The id as it stands in workflow ids. */
  readonly key: string;
  readonly problem: Ref;
  readonly licence: string | null;
  /** By method with a teacher prefix: what goes before the student. */
  readonly teachers?: Readonly<Record<string, NonNullable<PlannedRollout['teacher']>>>;
}

export type PlanInput = Pick<CampaignInput, 'methods' | 'passes' | 'order' | 'seed' | 'limits' | 'sandbox'> & {
  /** Workflow id of the campaign. */
  readonly campaign: string;
};

/** Rollouts `from` to `from + count` of the plan, in the order in which they are begun. */
export function plannedRollouts(
  plan: PlanInput,
  instances: readonly CampaignInstance[],
  from: number,
  count: number,
): PlannedRollout[] {
  const total = plannedTotal(plan, instances.length);
  const units = Array.from({ length: Math.max(0, Math.min(count, total - from)) }, (_, i) => from + i);
  const shuffle = plan.order === 'shuffled' ? permutation(total, `order ${plan.seed}`) : (unit: number) => unit;
  return units.map((unit) => {
    const place = placeOf(plan, instances.length, shuffle(unit));
    const [instance, method] = [instances[place.instance]!, plan.methods[place.method]!];
    const { id, key, problem, licence, teachers } = instance;
    const teacher = teachers?.[method.name];
    return {
      id: `${plan.campaign}/${method.name}/${key}/${place.pass}`,
      instance: id,
      problem,
      licence,
      method: method.name,
      pass: place.pass,
      recipe: recipeOf(plan, method, problem, place.pass),
      ...(teacher ? { teacher } : {}),
    };
  });
}

export function plannedTotal({ methods, passes }: Pick<PlanInput, 'methods' | 'passes'>, instances: number): number {
  return instances * methods.reduce((sum, method) => sum + (method.passes ?? passes), 0);
}

interface Place {
  readonly instance: number;
  readonly method: number;
  readonly pass: number;
}

function placeOf({ methods, passes, order }: PlanInput, instances: number, unit: number): Place {
  const each = methods.map((method) => method.passes ?? passes);
  if (order === 'instances') {
    const perInstance = each.reduce((sum, own) => sum + own, 0);
    const [instance, rest] = [Math.floor(unit / perInstance), unit % perInstance];
    return { ...laps(each, 1, rest), instance };
  }
  return laps(each, instances, unit);
}

/** Pass after pass over so many instances; in a pass, each method that has one more takes its turn at an instance. */
function laps(passes: readonly number[], instances: number, unit: number): Place {
  let rest = unit;
  for (let pass = 0; ; pass++) {
    const methods = passes.flatMap((own, method) => (own > pass ? [method] : []));
    const lap = methods.length * instances;
    if (rest < lap)
      return { instance: Math.floor(rest / methods.length), method: methods[rest % methods.length]!, pass };
    rest -= lap;
  }
}

const ROUNDS = 4;

/**
 * A keyed permutation of 0..n−1 that is computed place by place: a Feistel network over the next square, walked on until it
 * falls below n (Black and Rogaway, Ciphers with Arbitrary Finite Domains, 2002, section 4). A million rollouts are shuffled
 * without a list of them.
 */
export function permutation(n: number, key: string): (at: number) => number {
  const half = Math.max(2, Math.ceil(Math.sqrt(n)));
  const through = (value: number): number => {
    let [left, right] = [Math.floor(value / half), value % half];
    for (let round = 0; round < ROUNDS; round++) {
      const mixed = uniformBelow(hashKey(`${key} ${round} ${right}`), half);
      [left, right] = [right, (left + mixed) % half];
    }
    return left * half + right;
  };
  return (at) => {
    let value = through(at);
    while (value >= n) value = through(value);
    return value;
  };
}

/** What the rollout is made from, without what may change while a campaign runs. */
function recipeOf({ seed, limits, sandbox }: PlanInput, method: Method, problem: Ref, pass: number): string {
  const { student, expert, handOver } = method;
  const made = [problem.sha256, student ?? null, expert ?? null, handOver, pass, seed, limits, sandbox];
  const parts = method.teacherPrefix ? [...made, method.teacherPrefix] : made;
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

/** An instance's id as a part of a workflow id: what shells and addresses trouble with is replaced, and told apart by a hash. */
export function keyOf(instance: string): string {
  if (/^[\w.@+=:,-]{1,100}$/.test(instance)) return instance;
  const hash = createHash('sha256').update(instance).digest('hex').slice(0, 8);
  return `${instance.replace(/[^\w.@+=:,-]+/g, '-').slice(0, 90)}~${hash}`;
}
