import type { HarnessQuality } from '../../../src/contract';
import { HarnessGates } from '../../../src/contract';
import { repairFeedback } from '../../../src/problems/equivalence/repair';

const TEXT = 'import x\n\n\ndef sign(n):\n    if n > 0:\n        return 1\n    return -1\n';
const QUALITY: HarnessQuality = {
  cases: 3,
  repeats: 5,
  flaky: [],
  branchCoverage: 1,
  lineCoverage: 1,
  missedLines: [],
  mutants: [],
  mutationScore: 1,
  oracle: 1,
  stub: 0,
};
const gates = HarnessGates.parse({});
const feedback = (
  quality: Partial<HarnessQuality> | null,
  troubles: Parameters<typeof repairFeedback>[0]['troubles'] = [],
) => repairFeedback({ troubles, quality: quality && { ...QUALITY, ...quality }, gates, text: TEXT, lines: [4, 7] });

test('nothing to mend, nothing said', () => {
  expect(feedback({})).toBe('');
});

test('failures by case, with the end of their traces', () => {
  const trace = `Traceback:\n${'  frame\n'.repeat(500)}ValueError: bad \`\`\`fence\`\`\``;
  const said = feedback(null, [{ failure: 'value_or_type', case: 'case_a', message: 'raised ValueError', trace }]);
  expect(said).toContain('- case_a: raised ValueError\n````\n…\n');
  expect(said).toContain('ValueError: bad ```fence```\n````');
  expect(said.length).toBeLessThan(2000);
});

test('however much goes wrong, the message stays short', () => {
  const troubles = Array.from({ length: 100 }, (_, at) => ({
    failure: 'environment' as const,
    case: `case_${at}`,
    message: 'm'.repeat(1e5),
    trace: 't'.repeat(1e5),
  }));
  const said = feedback(null, troubles);
  expect(said).toContain('and 92 more');
  expect(said.length).toBeLessThan(30_000);
});

test('lines that no case reached are marked in the source', () => {
  expect(feedback({ branchCoverage: 0.5, missedLines: [7] })).toBe(
    "The cases take 50 % of the function's branches. Lines marked with `>>>` are not reached by any case:\n```text\n    def sign(n):\n        if n > 0:\n            return 1\n>>>     return -1\n```",
  );
});

test('changes that nobody noticed are shown as diffs, killed ones are not', () => {
  const mutant = (line: number, after: string, killedBy: string | null) => ({
    id: `${line}${after}`,
    operator: 'compare',
    line,
    before: 'if n > 0:',
    after,
    killedBy,
  });
  const said = feedback({
    mutationScore: 0.25,
    mutants: [mutant(5, 'if n >= 0:', null), mutant(5, 'if n < 0:', 'case_a')],
  });
  expect(said).toContain('```diff\n@@ line 5 @@\n-if n > 0:\n+if n >= 0:\n```');
  expect(said).not.toContain('if n < 0');
});
