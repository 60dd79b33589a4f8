import fc from 'fast-check';
import { intervalOf } from '../../../src/analysis/shift/interval';
import { halvesOf, replicatesOf } from '../../../src/analysis/shift/replicates';
import { type ShiftOptions, shiftAtTurn } from '../../../src/analysis/shift/turn';
import { hashKey, uniformUnit } from '../../../src/rollout/random';

const D = 24;
const OPTIONS: ShiftOptions = {
  replicateSize: 5,
  bootstrapReplicates: 4,
  over: 'pooled',
  ridge: 1e-2,
  pcaDimensions: 3,
  permutations: 39,
  seed: 7,
};
const stream = hashKey('turn');
const histories = (n: number, far = 0) =>
  Array.from({ length: n }, (_, at) => ({
    instance: `i${at % 3}`,
    vector: Float32Array.from({ length: D }, (_unused, k) => uniformUnit(stream) - 0.5 + (k === 0 ? far : 0)),
  }));
const at = (studentHistories: ReturnType<typeof histories>, expertHistories: ReturnType<typeof histories>) => ({
  student: 'student',
  turn: 3,
  dimensions: D,
  studentHistories,
  expertHistories,
});

test('students who are elsewhere are far, and those who are not are as far as the expert from itself', () => {
  const expert = histories(60);
  const near = shiftAtTurn(at(histories(60), expert), OPTIONS);
  const far = shiftAtTurn(at(histories(60, 3), expert), OPTIONS);
  expect(near.pValue).toBeGreaterThan(0.05);
  expect(near.fd2!.mean / near.baselineFd2!.mean).toBeCloseTo(1, 0);
  expect(far.pValue).toBe(1 / 40);
  expect(far.fd2!.low).toBeGreaterThan(far.baselineFd2!.high);
  expect(far.fd2!.mean - near.fd2!.mean).toBeCloseTo(9, 0);
  // In three dimensions most of what small numbers make is gone, and the shift is not.
  expect(far.pcaFd2!.mean).toBeGreaterThan(8);
  expect(far.pcaFd2!.mean).toBeLessThan(far.fd2!.mean);
  expect(far.kl!.mean).toBeGreaterThan(near.kl!.mean);
  for (const { fd2, fd, kl } of [near, far])
    for (const each of [fd2!, fd!, kl!]) expect(each.low <= each.mean && each.mean <= each.high).toBe(true);
});

test('the same input gives the same figures; another seed draws other replicates', () => {
  const [students, experts] = [histories(23, 1), histories(31)];
  const once = shiftAtTurn(at(students, experts), OPTIONS);
  expect(shiftAtTurn(at(students, experts), OPTIONS)).toEqual(once);
  expect(shiftAtTurn(at(students, experts), { ...OPTIONS, seed: 8 }).fd2).not.toEqual(once.fd2);
});

test('a turn that few reach says so: none, one and a few', () => {
  const few = shiftAtTurn(at(histories(3), histories(7)), OPTIONS);
  expect(few).toMatchObject({ nStudent: 3, nExpert: 7, bootstrapped: true });
  expect(few.fd2!.mean).toBeGreaterThan(0);
  for (const n of [0, 1]) {
    const none = shiftAtTurn(at(histories(n), histories(7)), OPTIONS);
    expect(none).toMatchObject({ nStudent: n, nExpert: 7, fd2: null, kl: null, pcaFd2: null, pValue: null });
  }
});

test('within each instance, those that only one of them has are left out', () => {
  const students = histories(30, 2);
  const lone = histories(30).filter(({ instance }) => instance !== 'i2');
  const within = shiftAtTurn(at(students, lone), { ...OPTIONS, over: 'per_instance' });
  const same = shiftAtTurn(
    at(
      students.filter(({ instance }) => instance !== 'i2'),
      lone,
    ),
    { ...OPTIONS, over: 'per_instance' },
  );
  expect(within.fd2!.mean).toBeGreaterThan(3);
  expect(same.nStudent).toBe(20);
});

test('histories that are all alike are no distance apart', () => {
  const one = { instance: 'i', vector: Float32Array.from({ length: D }, () => 0.2) };
  const same = shiftAtTurn(at(Array(12).fill(one), Array(12).fill(one)), OPTIONS);
  expect(same.fd2!.mean).toBeLessThan(1e-12);
  expect(same.kl!.mean).toBeLessThan(1e-6);
  expect(same.pValue).toBe(1);
});

test('replicates: disjoint where they can be, of the size that was asked for, halves that share nothing', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 90 }), fc.integer({ min: 2, max: 12 }), fc.integer(), (n, size, seed) => {
      const rule = { size, bootstrapped: 4 };
      const { positions, bootstrapped } = replicatesOf(n, rule, hashKey(`${seed}`));
      expect(positions.every((each) => each.length === size && each.every((place) => place >= 0 && place < n))).toBe(
        true,
      );
      expect(bootstrapped).toBe(n < 2 * size);
      if (!bootstrapped) expect(new Set(positions.flatMap((each) => [...each])).size).toBe(positions.length * size);
      const halves = halvesOf(n, rule, hashKey(`${seed}`));
      if (n < 4) return expect(halves).toBeUndefined();
      const [left, right] = halves!.map((half) => new Set(half.flatMap((each) => [...each])));
      expect([...left!].filter((place) => right!.has(place))).toEqual([]);
      return expect(Math.min(halves![0].length, halves![1].length)).toBeGreaterThan(0);
    }),
  );
});

test('an interval holds its mean, is a point where nothing varies, and grows with what does', () => {
  const matrix = (spread: number) => ({
    rows: 6,
    columns: 8,
    values: Float64Array.from({ length: 48 }, (_, place) => 5 + spread * ((Math.floor(place / 8) % 2) - 0.5)),
  });
  const flat = intervalOf([matrix(0)], hashKey('a'))!;
  expect([flat.mean, flat.low, flat.high].every((each) => Math.abs(each - 5) < 1e-12)).toBe(true);
  const [narrow, wide] = [intervalOf([matrix(1)], hashKey('a'))!, intervalOf([matrix(4)], hashKey('a'))!];
  expect(wide.high - wide.low).toBeGreaterThan(2 * (narrow.high - narrow.low));
  expect(intervalOf([], hashKey('a'))).toBeNull();
});
