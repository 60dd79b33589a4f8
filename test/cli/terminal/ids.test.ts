import fc from 'fast-check';
import { columnsOf } from '../../../src/cli/terminal/columns';
import { idsWithin } from '../../../src/cli/terminal/ids';

const part = fc.constantFrom('rollout', 'campaign-7', 'yamllint-ignore-list', 'oec', '0', '1', 'a8c1', 'a8c2');
const id = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('/'));

it('tells every id from every other, and cuts none that fits', () => {
  fc.assert(
    fc.property(fc.uniqueArray(id, { maxLength: 12 }), fc.integer({ min: 12, max: 60 }), (ids, columns) => {
      const shown = idsWithin(ids, columns);
      expect(new Set(shown.values()).size).toBe(ids.length);
      for (const each of ids) {
        const text = shown.get(each)!;
        if (columnsOf(each) <= columns) expect(text).toBe(each);
        const [start = '', end] = text.split('…');
        if (end === undefined) continue;
        // What is printed names that one, as commands read it.
        const named = ids.filter((other) => other.startsWith(start) && other.endsWith(end));
        expect(named).toEqual([each]);
      }
    }),
  );
});

it('keeps the end, where ids of one campaign differ', () => {
  const ids = ['campaign/monday/yamllint-ignore-list/oec/0', 'campaign/monday/yamllint-ignore-list/oec/1'];
  const shown = idsWithin(ids, 24);
  for (const each of ids) expect(shown.get(each)).toMatch(/^campaign.*…/);
  expect(Math.max(...[...shown.values()].map(columnsOf))).toBeLessThanOrEqual(24);
});
