import fc from 'fast-check';
import type { Candidate } from '../../src/dataset/judge';
import { mixtureCounts, type SelectionOptions, select } from '../../src/dataset/selection';

const ALL: SelectionOptions = { perInstance: null, deduplicate: false, validation: 0, seed: 0 };

const candidates: fc.Arbitrary<Candidate[]> = fc
  .array(
    fc.record({
      instance: fc.constantFrom('a', 'b', 'c', 'd', ''),
      method: fc.constantFrom('oec', 'bc', 'web'),
      content: fc.constantFrom('1', '2', '3', '4', '5', '6', '7', '8'),
    }),
    { maxLength: 50 },
  )
  .map((rows) =>
    rows.map((row, i) => ({
      ...row,
      id: `r-${i}`,
      extra: row.method === 'web',
      tokens: 10,
      turns: 3,
      trained: [1],
    })),
  );

const options: fc.Arbitrary<SelectionOptions> = fc.record({
  perInstance: fc.constantFrom(null, 1, 2, 3),
  deduplicate: fc.boolean(),
  mixture: fc.constantFrom<SelectionOptions['mixture']>(
    undefined,
    { ratio: { oec: 1, bc: 1 } },
    { ratio: { oec: 2, bc: 1, web: 0.5 } },
    { counts: { oec: 5, web: 2 } },
  ),
  validation: fc.constantFrom(0, 0.1, 0.5),
  seed: fc.integer(),
});

test('every candidate is kept or lost, once; rules hold for what is kept; order says nothing', () => {
  fc.assert(
    fc.property(candidates, options, fc.nat(), (rows, given, turn) => {
      const { kept, lost } = select(rows, given);
      expect([...kept, ...lost].map(({ id }) => id).sort()).toEqual(rows.map(({ id }) => id).sort());
      if (given.deduplicate) expect(new Set(kept.map(({ content }) => content)).size).toBe(kept.length);
      if (given.perInstance !== null) {
        for (const instance of ['a', 'b', 'c', 'd', '']) {
          const own = kept.filter((row) => row.instance === instance && !row.extra);
          expect(own.length).toBeLessThanOrEqual(given.perInstance);
        }
      }
      const inValidation = new Set(kept.filter(({ split }) => split === 'validation').map(({ instance }) => instance));
      expect(kept.every(({ split, instance }) => (split === 'validation') === inValidation.has(instance))).toBe(true);
      expect(inValidation.has('')).toBe(false);
      const at = rows.length === 0 ? 0 : turn % rows.length;
      const turned = [...rows.slice(at), ...rows.slice(0, at)].reverse();
      expect(select(turned, given)).toEqual({ kept, lost });
    }),
  );
});

test('another seed takes other rows; the same seed the same', () => {
  const rows = Array.from(
    { length: 40 },
    (_, i): Candidate => ({
      id: `r-${i}`,
      instance: 'one',
      method: 'oec',
      extra: false,
      content: `${i}`,
      tokens: 1,
      turns: 1,
      trained: [1],
    }),
  );
  const taken = (seed: number) => select(rows, { ...ALL, perInstance: 5, seed }).kept.map(({ id }) => id);
  expect(taken(1)).toEqual(taken(1));
  expect(taken(1)).not.toEqual(taken(2));
});

test('a ratio uses the scarcest up and is within a row of every share', () => {
  const weights = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.double({ min: 0.01, max: 20, noNaN: true }), {
    minKeys: 1,
  });
  const stock = fc.tuple(fc.nat(500), fc.nat(500), fc.nat(500));
  fc.assert(
    fc.property(weights, stock, (ratio, [a, b, c]) => {
      const available = new Map(Object.entries({ a, b, c }));
      const counts = mixtureCounts({ ratio }, available);
      const names = Object.keys(ratio);
      const unit = Math.min(...names.map((name) => available.get(name)! / ratio[name]!));
      for (const name of names) {
        const count = counts.get(name)!;
        expect(count).toBeLessThanOrEqual(available.get(name)!);
        expect(Math.abs(count - unit * ratio[name]!)).toBeLessThan(1);
      }
      expect(names.some((name) => counts.get(name) === available.get(name))).toBe(true);
    }),
  );
});

test.each([
  [{ ratio: { oec: 1, bc: 1 } }, { oec: 961, bc: 3000 }, { oec: 961, bc: 961 }],
  [{ ratio: { oec: 2, bc: 1 } }, { oec: 10, bc: 10 }, { oec: 10, bc: 5 }],
  [{ ratio: { oec: 0.1, bc: 0.3 } }, { oec: 7, bc: 21 }, { oec: 7, bc: 21 }],
  [{ ratio: { oec: 1, bc: 1 } }, { oec: 5 }, { oec: 0, bc: 0 }],
  [{ counts: { oec: 961, bc: 2000 } }, { oec: 900, bc: 3000 }, { oec: 900, bc: 2000 }],
])('%j of %j is %j', (mixture, available, counts) => {
  expect(Object.fromEntries(mixtureCounts(mixture, new Map(Object.entries(available))))).toEqual(counts);
});

test('of duplicates the first name stays, and the others say which', () => {
  const row = (id: string): Candidate => ({
    id,
    instance: 'i',
    method: 'oec',
    extra: false,
    content: 'same',
    tokens: 1,
    turns: 1,
    trained: [1],
  });
  const { kept, lost } = select([row('c'), row('a'), row('b')], { ...ALL, deduplicate: true });
  expect(kept.map(({ id }) => id)).toEqual(['a']);
  expect(lost).toEqual(
    ['b', 'c'].map((id) => ({
      id,
      instance: 'i',
      method: 'oec',
      reason: 'duplicate',
      detail: 'the trained turns are those of a',
    })),
  );
});
