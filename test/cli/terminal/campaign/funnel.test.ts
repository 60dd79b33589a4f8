import fc from 'fast-check';
import { funnelLines } from '../../../../src/cli/terminal/campaign/funnel';
import { liveLines } from '../../../../src/cli/terminal/campaign/report';
import { columnsOf } from '../../../../src/cli/terminal/columns';
import { FunnelStage, type LossReason } from '../../../../src/contract';

const LOOK = { width: 80, coloured: false, full: false };
const STAGES = FunnelStage.options.slice(0, 5);
const REASONS: Readonly<Record<string, readonly LossReason[]>> = {
  started: ['instance_cap', 'abandoned'],
  handed_over: ['submitted_before_switch', 'cancelled'],
  submitted: ['limit_steps', 'format_exhausted'],
  passed: ['tests_failed', 'empty_patch'],
};

const funnels = fc
  .record({
    planned: fc.integer({ min: 8, max: 5000 }),
    lost: fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 8, maxLength: 8 }),
  })
  .map(({ planned, lost }) => {
    const losses = STAGES.slice(1)
      .flatMap((stage, at) => REASONS[stage]!.map((reason, i) => ({ stage, reason, count: lost[at * 2 + i]! })))
      .filter(({ count }) => count > 0);
    let left = planned;
    const stages = STAGES.map((stage) => {
      left -= losses.filter((loss) => loss.stage === stage).reduce((sum, { count }) => sum + count, 0);
      return { stage, count: left };
    });
    return { stages, losses };
  });

test('every column adds up: a stage is the one above without the losses between', () => {
  fc.assert(
    fc.property(fc.array(funnels, { minLength: 1, maxLength: 5 }), (drawn) => {
      const named = drawn.map((funnel, at) => ({ method: `m${at}`, funnel }));
      const [title, ...rows] = funnelLines(named, undefined, LOOK);
      for (const at of named.keys()) {
        const end = title!.indexOf(`m${at}`) + 2;
        const seen: number[] = [];
        for (const row of rows.filter((line) => line !== '')) {
          const cell = /(−?\d+)$/.exec(row.slice(0, end).trimEnd().padEnd(end).slice(20))?.[1] ?? '';
          const value = Number(cell.replace('−', '-'));
          if (row.startsWith('  ')) seen.push((seen.pop() ?? 0) + value);
          else {
            if (seen.length > 0) expect(value).toBe(seen.pop());
            seen.push(value);
          }
        }
      }
    }),
  );
});

test('many methods go below each other, and nothing is wider than the terminal', () => {
  const [funnel] = fc.sample(funnels, { numRuns: 1, seed: 1 });
  const named = Array.from({ length: 7 }, (_, at) => ({ method: `method-${at}`, funnel: funnel! }));
  const lines = funnelLines(named, funnel, LOOK);
  expect(lines.filter((line) => line.startsWith('planned'))).toHaveLength(2);
  expect(Math.max(...lines.map(columnsOf))).toBeLessThanOrEqual(80);
});

test('the live table keeps to its width, whatever a model does, and says how many it leaves out', () => {
  const progress = {
    ...{
      phase: 'Rolling out',
      planned: 300,
      begun: 12,
      concurrency: 8,
      startsPerMinute: 30,
      todayUsd: 1,
      paused: false,
    },
    counts: { finished: 4, resolved: 2, failed: 1, cancelled: 0, skipped: 0 },
    ...{ inFlight: [], budget: { totalUsd: 5, dailyUsd: 2 }, cost: { usd: 1.5, tokens: 9 }, pages: [] },
  };
  const rollout = {
    ...{ id: 'c/oec/i/0', instance: 'a-very-long-instance-name__of-a-repository-12345', method: 'on-policy', pass: 12 },
    ...{ ageMs: 3_700_000, phase: 'Student', turn: 33, costUsd: 0.123 },
    action: 'echo \u001b[31mred\u001b[0m\n$(rm -rf /) 日本語日本語日本語日本語日本語日本語',
  };
  const unanswered = { ...rollout, phase: null, turn: null, costUsd: null, action: null };
  const lines = liveLines(progress, [rollout, unanswered], 6, LOOK);
  expect(Math.max(...lines.map(columnsOf))).toBeLessThanOrEqual(80);
  expect(lines.join('\n')).not.toContain('\u001b');
  expect(lines.at(-1)).toBe('and 6 more');
  expect(lines[0]).toBe('rolling out · 5 of 300 done · 2 resolved · 1 failed · 0 in flight of 8, 30 a');
});
