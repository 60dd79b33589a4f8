import type { ShiftOptions } from '../../analysis/shift/turn';
import {
  type EmbeddedTrajectory,
  PointsmanError,
  type Ref,
  type ShiftPlan,
  type ShiftTrajectory,
} from '../../contract';
import type { BlobStore } from '../../store/blobs';
import type { TurnTask } from './covariate-shift-thread';

/** Consecutive turns of one student: what one activity measures. */
export interface TurnRange {
  readonly student: string;
  readonly from: number;
  readonly to: number;
}

/** Bytes of vectors that one activity holds: turns are grouped so that a trajectory is read once for many of them. */
const HELD_BYTES = 160 * 1024 * 1024;

interface Member {
  readonly instance: string;
  readonly groups: readonly string[];
  readonly turns: number;
  readonly vectors: Ref;
}

/** What is compared: every trajectory that was embedded, by id. */
export interface Ground {
  readonly dimensions: number;
  readonly members: readonly Member[];
}

/** Throws `ModelMalformed` where vectors differ in length. */
export function groundOf({ trajectories }: ShiftPlan, embedded: readonly EmbeddedTrajectory[]): Ground {
  const planned = new Map(trajectories.map((each): [string, ShiftTrajectory] => [each.id, each]));
  const members = embedded.flatMap(({ id, turns, vectors }): Member[] => {
    const { instance, groups } = planned.get(id)!;
    return vectors === null ? [] : [{ instance, groups, turns, vectors }];
  });
  const dimensions = new Set(embedded.filter(({ vectors }) => vectors !== null).map((each) => each.dimensions));
  if (dimensions.size > 1) {
    throw new PointsmanError(
      'ModelMalformed',
      `the embedding gave vectors of ${[...dimensions].join(' and ')} dimensions`,
      'Has the model behind the profile changed on the way?',
    );
  }
  return { dimensions: [...dimensions][0] ?? 0, members };
}

function membersOf({ members }: Ground, group: string): Member[] {
  return members.filter(({ groups }) => groups.includes(group));
}

/** Ranges of turns that fit into memory. Throws `InvalidInput` where a group has no distribution. */
export function rangesOf(ground: Ground, student: string, expert: string): TurnRange[] {
  const [students, experts] = [membersOf(ground, student), membersOf(ground, expert)];
  for (const [name, members] of [[student, students] as const, [expert, experts] as const]) {
    if (members.length >= 2) continue;
    throw new PointsmanError(
      'InvalidInput',
      `${name}: ${members.length} trajectories could be embedded, and a distribution needs 2 at least`,
      'See which are missing and why in the history of the run.',
    );
  }
  const last = Math.max(...students.map(({ turns }) => turns), ...experts.map(({ turns }) => turns));
  const perTurn = (students.length + experts.length) * ground.dimensions * Float32Array.BYTES_PER_ELEMENT;
  const size = Math.max(1, Math.floor(HELD_BYTES / perTurn));
  return Array.from({ length: Math.ceil(last / size) }, (_, at) => ({
    student,
    from: at * size + 1,
    to: Math.min(last, (at + 1) * size),
  }));
}

/** Each turn's vectors in one buffer. Trajectories are read one after the other, so that only a range is in memory. */
export async function* tasksOf(
  blobs: BlobStore,
  ground: Ground,
  { student, expert, from, to, options }: TurnRange & { readonly expert: string; readonly options: ShiftOptions },
): AsyncGenerator<TurnTask> {
  const { dimensions } = ground;
  const [students, experts] = [membersOf(ground, student), membersOf(ground, expert)];
  const turns = Array.from({ length: to - from + 1 }, (_, at) => {
    const running = (members: readonly Member[]) => members.filter((each) => each.turns >= from + at);
    const [first, second] = [running(students), running(experts)];
    return { first, second, vectors: new Float32Array((first.length + second.length) * dimensions), filled: 0 };
  });
  for (const member of [...students, ...experts]) {
    const bytes = await blobs.get(member.vectors.sha256);
    const all = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    for (const [at, turn] of turns.entries()) {
      if (member.turns < from + at) break;
      turn.vectors.set(all.subarray((from + at - 1) * dimensions, (from + at) * dimensions), turn.filled);
      turn.filled += dimensions;
    }
  }
  for (const [at, { first, second, vectors }] of turns.entries()) {
    const instances = (members: readonly Member[]) => members.map(({ instance }) => instance);
    const groups = { studentInstances: instances(first), expertInstances: instances(second) };
    yield { student, turn: from + at, dimensions, ...groups, vectors, options };
  }
}
