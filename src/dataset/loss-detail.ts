import type { LossReason, RolloutRow } from '../contract';

/** What shows that a rollout was lost for a reason that its row alone gives, in a line. */
export function lossDetail(row: RolloutRow, reason: LossReason): string {
  const { result } = row;
  if (!result) return row.error ?? (row.outcome === 'skipped' ? 'it never began' : 'it left no result');
  const { turns, handOver, grade, detail } = result;
  const after = `after ${turns.total} turns`;
  switch (reason) {
    case 'submitted_before_switch':
      return `submitted ${after}${handOver.sampled === null ? '' : `, the switch was drawn at ${handOver.sampled}`}`;
    case 'ended_before_switch':
      return [`${result.status} ${after}`, detail].filter(Boolean).join(': ');
    case 'tests_failed': {
      const missing = [...(grade?.failToPass.missing ?? []), ...(grade?.passToPass.missing ?? [])];
      return missing.length === 0 ? (detail ?? 'not resolved') : `${missing.length} tests, the first is ${missing[0]}`;
    }
    case 'tampered':
      return (grade?.flags ?? []).map((flag) => `${flag.kind}: ${flag.detail}`).join('; ');
    case 'patch_failed':
      return `its patch does not apply, ${after}`;
    case 'no_tests':
      return 'no test ran on its patch';
    case 'tests_timed_out':
      return 'the tests did not end in time';
    case 'empty_patch':
      return `no change ${after}`;
    default:
      return detail ?? `${result.status} ${after}`;
  }
}
