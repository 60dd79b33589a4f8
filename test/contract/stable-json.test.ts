import fc from 'fast-check';
import { stableJson } from '../../src/contract/stable-json';

/** The same value, its keys put in the other way round. */
const turned = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(turned);
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, each]) => [key, turned(each)]),
  );
};

test('is the value, and one text in whatever order its keys were made', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = stableJson(value);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(stableJson(turned(value))).toBe(text);
    }),
  );
});

// Ledgers hold hashes of it.
test('stays as it is', () => {
  const value = { b: [{ z: 1, y: undefined }, null], 10: 'ten', 9: 'nine', a: 'é\u2028"', __proto__: 1, B: {} };
  expect(stableJson(value)).toBe('{"9":"nine","10":"ten","B":{},"a":"é\u2028\\"","b":[{"z":1},null]}');
});
