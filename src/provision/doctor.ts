import { engineFindings } from './doctor-engine';
import { machineFindings } from './doctor-machine';
import { serverFindings } from './doctor-server';

/** One thing that the doctor looked at. */
export interface Finding {
  readonly what: string;
  /** `warn`: works, but not as well or not for everything. `missing`: something will fail. */
  readonly state: 'ok' | 'warn' | 'missing';
  readonly found: string;
  /** What to do about it; empty when there is nothing to do. */
  readonly todo: string;
}

/** Looks at everything that Pointsman stands on. Changes nothing, never throws, takes a few seconds at most. */
export async function diagnose(): Promise<Finding[]> {
  const groups = await Promise.all([machineFindings(), serverFindings(), engineFindings()]);
  return groups.flat();
}

const SIGN = { ok: '✔', warn: '!', missing: '✖' } as const;

/** The findings as lines for a terminal: what there is, and under each trouble what to do. */
export function printFindings(findings: readonly Finding[]): string {
  const width = Math.max(0, ...findings.map(({ what }) => what.length));
  const lines = findings.flatMap(({ what, state, found, todo }) => [
    `${SIGN[state]} ${what.padEnd(width)}  ${found}`,
    ...(todo ? [`  ${' '.repeat(width)}  → ${todo}`] : []),
  ]);
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  const verdict = count('missing') > 0 ? `${count('missing')} missing` : 'nothing is missing';
  return [...lines, '', `${verdict}, ${count('warn')} to look at`].join('\n');
}
