import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { DatasetFilters, type Funnel, FunnelStage, LossReason, type RolloutRow } from '../../src/contract';
import { funnelsOf, summed } from '../../src/dataset/funnel';
import { lossOf } from '../../src/dataset/losses';
import { survivalOf } from '../../src/dataset/survival';
import { SAMPLE_KINDS, writeSampleCampaign } from '../support/sample-campaign';
import { anyRows } from './sample-rows';

const LATER: readonly LossReason[] = ['identical_actions', 'endless_file_reading', 'duplicate', 'mixture', 'too_long'];

function expectSums({ stages, losses }: Funnel, planned: number): void {
  expect(stages[0]).toEqual({ stage: 'planned', count: planned });
  stages.slice(1).forEach(({ stage, count }, i) => {
    const own = losses.filter((loss) => loss.stage === stage).reduce((sum, loss) => sum + loss.count, 0);
    expect(count).toBe(stages[i]!.count - own);
  });
  expect(losses.every(({ stage }) => stages.some((each) => each.stage === stage))).toBe(true);
}

test('the counts sum, for any rows and whatever is said of them later', () => {
  const later = fc.array(fc.tuple(fc.nat(70), fc.constantFrom(...LATER)));
  fc.assert(
    fc.property(anyRows, later, (rows, said) => {
      const losses = new Map(said.map(([at, reason]) => [`r-${at}`, reason]));
      for (const funnels of [funnelsOf(rows), funnelsOf(rows, losses)]) {
        for (const { method, funnel } of funnels) {
          const own = rows.filter((row) => row.method === method);
          expectSums(funnel, own.length);
        }
        if (funnels.length > 0) expectSums(summed(funnels.map(({ funnel }) => funnel)), rows.length);
      }
      const kept = funnelsOf(rows, losses).reduce((sum, { funnel }) => sum + funnel.stages.at(-1)!.count, 0);
      expect(kept).toBe(rows.filter((row) => !lossOf(row) && !losses.has(row.id)).length);
    }),
  );
});

test('the order of the rows says nothing', () => {
  fc.assert(
    fc.property(anyRows, fc.nat(), (rows, seed) => {
      const turned = [...rows].sort((a, b) => (a.id + seed < b.id + seed ? 1 : -1));
      expect(funnelsOf(turned)).toEqual(funnelsOf(rows));
      expect(survivalOf(turned)).toEqual(survivalOf(rows));
    }),
  );
});

test('a filter that is off loses nothing at its stage', () => {
  fc.assert(
    fc.property(anyRows, (rows) => {
      const funnels = funnelsOf(rows, undefined, {
        ...DatasetFilters.parse({}),
        ...{ resolved: false, submitted: false, doubtful: false },
      });
      expect(
        funnels
          .flatMap(({ funnel }) => funnel.losses)
          .filter(({ stage }) => stage !== 'started' && stage !== 'handed_over'),
      ).toEqual([]);
    }),
  );
});

test('survivors of k are among those handed over, and those among the drawn', () => {
  fc.assert(
    fc.property(anyRows, (rows) => {
      const survival = survivalOf(rows);
      const drawn = rows.filter((row) => 'uniform' in row.handOver && row.result);
      expect(survival.reduce((sum, { drawn: n }) => sum + n, 0)).toBe(drawn.length);
      for (const at of survival) {
        expect(at.resolved).toBeLessThanOrEqual(at.handedOver);
        expect(at.handedOver + at.submittedBeforeSwitch).toBeLessThanOrEqual(at.drawn);
      }
    }),
  );
});

describe('a campaign of known endings', () => {
  const home = mkdtempSync(join(tmpdir(), 'pointsman-funnel-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  test('each row is lost for the reason that it was made with', async () => {
    const { rows, kinds } = await writeSampleCampaign(home, { rollouts: 132, steps: [10, 14] });
    const later = new Set<LossReason>(['identical_actions', 'endless_file_reading', 'unfaithful']);
    for (const row of rows) {
      const { lost } = SAMPLE_KINDS[kinds.get(row.id)!];
      const expected = lost === null || later.has(lost) ? undefined : lost;
      expect([row.id, lossOf(row)?.reason]).toEqual([row.id, expected]);
    }
    expect(new Set(kinds.values()).size).toBe(Object.keys(SAMPLE_KINDS).length);
  });

  test('the stage is where it stopped, not where the reason is listed', () => {
    const row = (more: Partial<RolloutRow>): RolloutRow =>
      ({
        method: 'bc',
        handOver: { at: 0 },
        expert: 'expert',
        outcome: 'finished',
        result: null,
        ...more,
      }) as RolloutRow;
    expect(lossOf(row({ outcome: 'failed' }))).toEqual({ stage: 'handed_over', reason: 'failed' });
    expect(lossOf(row({ outcome: 'skipped', skipped: 'cancelled' }))).toEqual({
      stage: 'started',
      reason: 'cancelled_before_start',
    });
    const cut = { status: 'cancelled', turns: { expert: 2 }, handOver: {}, resolved: null } as RolloutRow['result'];
    expect(lossOf(row({ result: cut }))).toEqual({ stage: 'submitted', reason: 'cancelled' });
    const alone = { status: 'limit_steps', turns: { expert: 0 }, handOver: {}, resolved: null } as RolloutRow['result'];
    expect(lossOf(row({ result: alone }))).toEqual({ stage: 'handed_over', reason: 'ended_before_switch' });
    // Without an expert the stage is passed by.
    expect(lossOf(row({ result: alone, expert: null, handOver: { never: true } }))?.stage).toBe('submitted');
    expect(FunnelStage.options.indexOf('handed_over')).toBeLessThan(FunnelStage.options.indexOf('submitted'));
    expect(new Set(LossReason.options).size).toBe(LossReason.options.length);
  });
});
