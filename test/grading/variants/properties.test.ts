import { type ModuleSyntax, openPython, type Python } from '@pointsman/python';
import fc from 'fast-check';
import { type Chosen, findVariants, type Languages, openLanguages, withVariants } from '../../../src/grading/variants';
import { examples } from '../../support/counts';
import { modules } from './modules';

let languages: Languages;
let python: Python;
beforeAll(async () => {
  [languages, python] = await Promise.all([openLanguages(), openPython()]);
});

function functionsOf({ body }: Pick<ModuleSyntax, 'body'>): string[] {
  return body.flatMap((each) => {
    if (each.kind === 'class') return functionsOf(each).map((name) => `${each.name}.${name}`);
    return each.kind === 'function' ? [each.name] : [];
  });
}

describe('a variant of any module', () => {
  test('parses, keeps lines and names, and differs in its own place alone', () => {
    fc.assert(
      fc.property(modules(), ({ text, tests }) => {
        const file = { path: 'tests/test_it.py', text };
        const { variants } = findVariants(languages, [file], tests);
        const before = python.parse(file.path, text);
        expect(before.errors).toEqual([]);
        for (const variant of variants) {
          expect(text.slice(variant.from, variant.to)).toBe(variant.was);
          expect(new Set([...variant.texts, variant.was]).size).toBe(variant.texts.length + 1);
          for (const now of variant.texts) {
            const [changed] = withVariants([file], [{ variant, text: now }]).files;
            const read = python.parse(file.path, changed!.text);
            expect(read.errors).toEqual([]);
            expect(read.lineStarts).toHaveLength(before.lineStarts.length);
            expect(functionsOf(read)).toEqual(functionsOf(before));
            expect(changed!.text.startsWith(text.slice(0, variant.from))).toBe(true);
            expect(changed!.text.endsWith(text.slice(variant.to))).toBe(true);
          }
        }
      }),
      { numRuns: examples(40, 200) },
    );
  });

  test('is the same whenever it is looked for, at most six a test, and every test has one or a reason', () => {
    fc.assert(
      fc.property(modules(), ({ text, tests }) => {
        const file = { path: 'tests/test_it.py', text };
        const found = findVariants(languages, [file], tests);
        expect(findVariants(languages, [file], tests)).toEqual(found);
        expect(new Set(found.variants.map(({ id }) => id)).size).toBe(found.variants.length);
        for (const test of tests) {
          const own = found.variants.filter((each) => each.tests.includes(test)).length;
          expect(own).toBeLessThanOrEqual(6);
          expect(own > 0).toBe(!found.without.some((each) => each.test === test));
        }
      }),
    );
  });

  test('is applied with others in any order', () => {
    fc.assert(
      fc.property(modules(), fc.infiniteStream(fc.nat()), ({ text, tests }, numbers) => {
        const file = { path: 'tests/test_it.py', text };
        const { variants } = findVariants(languages, [file], tests);
        const chosen = variants.map((variant): Chosen => {
          const nth = numbers.next().value! % variant.texts.length;
          return { variant, text: variant.texts[nth]! };
        });
        const { files, dropped } = withVariants([file], chosen);
        const kept = chosen.filter((each) => !dropped.includes(each));
        expect(withVariants([file], kept.toReversed()).files).toEqual(files);
        expect(withVariants([file], [...kept, ...kept])).toEqual({ files, dropped: [] });
        expect(python.parse(file.path, files[0]!.text).errors).toEqual([]);
        for (const each of dropped)
          expect(kept.some(({ variant: { from, to } }) => from <= each.variant.to && each.variant.from <= to)).toBe(
            true,
          );
      }),
    );
  });
});
