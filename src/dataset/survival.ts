import type { RolloutRow, SwitchSurvival } from '../contract';
import { drawsSwitch } from '../rollout/handover';

/**
 * Survivorship by the drawn switch index k: a large k leaves a student time to submit first, so the samples that remain lean
 * towards small ones, and that must be seen. Rows whose policy draws (`uniform`) alone; `handedOver` are those that met their
 * drawn switch, `resolved` those of them whose tests pass. Sorted by k.
 */
export function survivalOf(rows: Iterable<RolloutRow>): SwitchSurvival[] {
  const byIndex = new Map<number, SwitchSurvival>();
  for (const { handOver, result } of rows) {
    const k = result?.handOver.sampled;
    if (!drawsSwitch(handOver) || !result || k === null || k === undefined) continue;
    const at = byIndex.get(k) ?? {
      k,
      drawn: 0,
      submittedBeforeSwitch: 0,
      handedOverEarly: 0,
      handedOver: 0,
      resolved: 0,
    };
    byIndex.set(k, at);
    const expert = result.turns.expert > 0;
    const handedOver = expert && (result.handOver.reason ?? 'policy') === 'policy';
    at.drawn += 1;
    at.handedOverEarly += expert && !handedOver ? 1 : 0;
    at.handedOver += handedOver ? 1 : 0;
    at.submittedBeforeSwitch += !expert && result.status === 'submitted' ? 1 : 0;
    at.resolved += handedOver && result.resolved === true ? 1 : 0;
  }
  return [...byIndex.values()].sort((a, b) => a.k - b.k);
}
