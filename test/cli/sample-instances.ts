import { FunctionInstance, type FunctionProblemsResult } from '../../src/contract';
import type { BlobStore } from '../../src/store/blobs';
import { HOSTILE } from './sample-setup';

const MODULE = `"""Prices."""

RATE = 19


def gross(net, rate=RATE):
    """Give the price with tax."""
    if net < 0:
        raise ValueError('no such price')
    return net + net * rate // 100
`;

/** A problem made by hand, with foreign text in every place that a repository or a model writes. */
export const gross: FunctionInstance = FunctionInstance.parse({
  id: 'prices-1.0__prices.gross',
  environment: { image: 'test/prices', source: 'pypi:prices==1.0', licence: 'MIT' },
  subject: {
    target: { module: 'prices', name: 'gross', kind: 'function', file: 'prices.py', lines: [6, 10] },
    ...{ workdir: '/repo', importRoots: ['.'], python: 'python3' },
  },
  slice: {
    target: { module: 'prices', name: 'gross', kind: 'function', file: 'prices.py', lines: [6, 10] },
    items: [
      { kind: 'global', module: 'prices', name: 'RATE', file: 'prices.py', lines: [3, 3], outOfFile: false },
      { kind: 'function', module: 'prices', name: 'gross', file: 'prices.py', lines: [6, 10], outOfFile: false },
    ],
    ...{ imports: [], importTimeEffects: [], unresolved: [] },
  },
  ...{ dependencies: 1, outOfFile: false },
  specification: {
    original: `Give the price with tax. ${HOSTILE}`,
    refined: 'Give the price with tax.\n\nArgs:\n    net (int): as it is seen.',
    ...{ by: 'types', argumentTypes: { net: ['int'] }, returnTypes: ['int'] },
  },
  signature: 'def gross(net, rate=RATE):\n    """Give the price with tax."""',
  reference: MODULE.split('\n').slice(5, 10).join('\n'),
  moduleText: MODULE,
  size: { lines: 3, tokens: 31 },
  contexts: { naive: 'naive', full: 'full', sliced: 'RATE = 19' },
  harness: {
    ...{ author: 'builtin:recorded-calls', context: 'sliced', mode: 'equivalence' },
    source: `def case_one(subject):\n    return subject(${'1 + '.repeat(40)}0)\n\n\ndef case_two(subject):\n    return subject(-1)\n`,
    cases: ['case_one', 'case_two'],
  },
  expected: [],
  quality: {
    ...{ cases: 2, repeats: 5, flaky: ['case_clock'], branchCoverage: 0.996, lineCoverage: 1, missedLines: [8] },
    mutants: [
      { id: 'm1', operator: 'compare', line: 8, before: 'net < 0', after: 'net <= 0', killedBy: null },
      { id: 'm2', operator: 'constant', line: 10, before: `${HOSTILE}`, after: '101', killedBy: null },
      { id: 'm3', operator: 'arithmetic', line: 10, before: 'net + net', after: 'net - net', killedBy: 'case_one' },
    ],
    ...{ mutationScore: 1 / 3, oracle: 1, stub: 0 },
  },
});

/** Another one with a long name: nothing may be pushed out of its table by it. */
export const net: FunctionInstance = {
  ...gross,
  id: 'prices-1.0__prices.regional.adjustments.AdjustmentTable.net_price_without_regional_adjustments',
  subject: { ...gross.subject, target: { ...gross.subject.target, module: `prices.${'regional.'.repeat(9)}net` } },
  outOfFile: true,
  quality: { ...gross.quality, mutationScore: null, mutants: [] },
};

/** A build's result with its blobs in the store. */
export async function keepBuild(
  blobs: BlobStore,
  instances: readonly FunctionInstance[],
): Promise<FunctionProblemsResult> {
  const lines = (rows: readonly unknown[]) => blobs.put(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const { target } = gross.subject;
  return {
    ...{ id: 'problems/prices', environment: gross.environment, functions: 9, tried: 3, admitted: instances.length },
    funnel: [
      { rule: 'docstring', left: 5, rejected: 4 },
      { rule: 'taken', left: 5, rejected: 0 },
    ],
    instances: await lines(instances),
    rejected: await lines([
      { target: { ...target, name: 'bare' }, rejectedBy: 'docstring', why: 'it has none' },
      { target: { ...target, name: 'weak' }, reasons: [`mutants: 1 of 9 killed ${HOSTILE}`], attempts: [] },
    ]),
    rows: await lines(instances.map(({ id }) => ({ instance_id: id }))),
    report: await blobs.put('# Function problems\n'),
    cost: { usd: 0, tokens: 0 },
  };
}
