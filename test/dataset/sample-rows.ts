import fc from 'fast-check';
import { ExitStatus, GradeResult, type HandOverPolicy, RolloutRow, SkipReason } from '../../src/contract';

const HASH = 'a'.repeat(64);
const METHODS: readonly (readonly [string, HandOverPolicy, boolean])[] = [
  ['oec', { uniform: [0, 30] }, true],
  ['bc', { at: 0 }, true],
  ['on-policy', { never: true }, false],
  ['mixing', { beta: { initial: 0.5, decay: 0.9 } }, true],
];

/** Any row that the contract allows, whether or not a campaign would write it. */
const anyRow: fc.Arbitrary<Omit<RolloutRow, 'id'>> = fc
  .record({
    instance: fc.constantFrom('a', 'b', 'c'),
    method: fc.constantFrom(...METHODS),
    outcome: fc.constantFrom('finished', 'finished', 'finished', 'failed', 'cancelled', 'skipped' as const),
    skipped: fc.constantFrom(undefined, ...SkipReason.options),
    status: fc.constantFrom(...ExitStatus.options, 'submitted', 'submitted', 'submitted'),
    resolved: fc.constantFrom(true, true, false, null),
    verdict: fc.constantFrom(null, ...GradeResult.shape.verdict.options),
    k: fc.integer({ min: 0, max: 30 }),
    expert: fc.integer({ min: 0, max: 3 }),
    patch: fc.constantFrom(null, 0, 12),
    withResult: fc.boolean(),
  })
  .map(({ method: [method, handOver, hasExpert], ...drawn }) => {
    const expert = hasExpert ? drawn.expert : 0;
    const finished = drawn.outcome === 'finished' || (drawn.outcome === 'cancelled' && drawn.withResult);
    const grade = drawn.verdict && {
      resolved: drawn.resolved === true,
      verdict: drawn.verdict,
      failToPass: { passed: 0, total: 0, missing: [] },
      passToPass: { passed: 0, total: 0, missing: [] },
      controls: null,
      suspicion: [],
      leftOut: [],
      runs: [],
      outcomes: { sha256: HASH, bytes: 2 },
      log: { sha256: HASH, bytes: 2 },
      seconds: 1,
    };
    const result = {
      id: 'x',
      status: drawn.status,
      resolved: drawn.resolved,
      handOver: { sampled: 'uniform' in handOver ? drawn.k : null, expertFrom: expert > 0 ? drawn.k + 1 : null },
      turns: { total: drawn.k + expert, student: drawn.k, expert, formatRetries: 0 },
      cost: { usd: 0, tokens: 0 },
      head: HASH,
      patch: drawn.patch === null ? null : { sha256: HASH, bytes: drawn.patch },
      workspace: null,
      grade,
      recovered: { sandboxes: 0, redoneSteps: 0 },
    };
    const { id: _, ...row } = RolloutRow.parse({
      id: 'x',
      instance: drawn.instance,
      problem: null,
      method,
      handOver,
      pass: 0,
      student: 'student',
      expert: hasExpert ? 'expert' : null,
      outcome: drawn.outcome,
      ...(drawn.outcome === 'skipped' && drawn.skipped ? { skipped: drawn.skipped } : {}),
      result: finished ? result : null,
      seconds: null,
    });
    return row;
  });

export const anyRows: fc.Arbitrary<RolloutRow[]> = fc
  .array(anyRow, { maxLength: 60 })
  .map((rows) => rows.map((row, i) => ({ ...row, id: `r-${i}` })));
