import type { Harness } from '../../../src/contract';

/** A harness by hand: bodies of cases by name. */
export function harnessOf(bodies: Readonly<Record<string, string>>): Harness {
  const cases = Object.entries(bodies).map(
    ([name, body]) => `def case_${name}(subject):\n    ${body.replaceAll('\n', '\n    ')}\n`,
  );
  return {
    author: 'builtin:recorded-calls',
    context: 'sliced',
    mode: 'equivalence',
    source: `from pointsman_cases import call\n\n\n${cases.join('\n\n')}`,
    cases: Object.keys(bodies).map((name) => `case_${name}`),
  };
}

/** `toolz.itertoolz.partition_all`, with inputs that tell its branches apart. */
export const PARTITION_ALL = harnessOf({
  even: 'return list(subject(2, [1, 2, 3, 4]))',
  odd: 'return list(subject(2, [1, 2, 3, 4, 5]))',
  long: 'return list(subject(7, [1, 2, 3]))',
  empty: 'return list(subject(3, []))',
  text: "return list(subject(3, 'abcdefgh'))",
  endless_parts: 'return list(subject(1, (1, 2)))',
  iterator: 'return list(subject(4, iter(range(9))))',
  tuples: 'return list(subject(3, [(1, 2), (3, 4)]))',
});
