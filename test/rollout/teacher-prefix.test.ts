import fc from 'fast-check';
import { FIRST_LEVEL, keptSteps, levelAfter, type PrefixLevel } from '../../src/rollout/teacher-prefix';

const schedule = fc.record({
  levels: fc.integer({ min: 2, max: 20 }),
  outcomes: fc.integer({ min: 1, max: 6 }),
  advance: fc.double({ min: 0.01, max: 1, noNaN: true }),
});
const steps = fc.integer({ min: 1, max: 200 });

test('k falls from level to level, leaves the student a step at the first and all of them at the last', () => {
  fc.assert(
    fc.property(schedule, steps, ({ levels }, length) => {
      const kept = Array.from({ length: levels }, (_, at) => keptSteps(length, at + 1, { levels }));
      expect(kept[0]).toBeLessThan(length);
      expect(kept.at(-1)).toBe(0);
      for (let at = 1; at < levels; at++) expect(kept[at]!).toBeLessThanOrEqual(kept[at - 1]!);
    }),
  );
});

test('who always passes gets to the whole problem, who never does stays at the easiest, whoever began where', () => {
  fc.assert(
    fc.property(schedule, fc.integer({ min: 1, max: 20 }), fc.boolean(), (given, from, passes) => {
      let at: PrefixLevel = { ...FIRST_LEVEL, level: Math.min(from, given.levels) };
      for (let n = 0; n < given.levels * given.outcomes; n++) {
        const next = levelAfter(at, passes, given);
        expect(passes ? next.level >= at.level : next.level <= at.level).toBe(true);
        at = next;
      }
      expect(at.level).toBe(passes ? given.levels : 1);
    }),
  );
});

test('between none and enough a level stays, and counts anew', () => {
  const given = { levels: 4, outcomes: 4, advance: 0.5 };
  let at: PrefixLevel = { level: 2, graded: 0, resolved: 0 };
  for (const passed of [true, false, false, false]) at = levelAfter(at, passed, given);
  expect(at).toEqual({ level: 2, graded: 0, resolved: 0 });
});
