import type { Author, DatasetOrigin } from '../../../contract';
import { count } from '../../../pages/figures';
import type { Look } from '../../../pages/shown-run';
import { safeLine } from '../safe-text';
import { table } from '../table';

/** What an audit found, as it is shown. */
export interface ShownAudit {
  readonly row: DatasetOrigin;
  readonly records: readonly string[];
  readonly turns: readonly {
    readonly turn: number;
    readonly author: Author;
    readonly model: string;
    readonly step: string;
    readonly event: { readonly runId: string; readonly eventId: number } | null;
    readonly response: string;
  }[];
  readonly problem: { readonly id: string; readonly image: string; readonly imageDigest: string | null } | null;
  readonly verified: { readonly steps: number; readonly observations: number };
  readonly problems: readonly string[];
  readonly unknown: readonly string[];
}

export function auditLines(audit: ShownAudit, look: Look): string[] {
  const { row, records, turns, problem, verified, problems, unknown } = audit;
  return [
    safeLine(row.id),
    `${row.method}, ${row.split}, ${records.join(', ') || 'in no file with steps'}`,
    ...(row.head ? [`chain    ${row.head}`] : []),
    ...(problem
      ? [
          `problem  ${safeLine(problem.id)}`,
          `image    ${safeLine(problem.image)}`,
          `         ${problem.imageDigest ?? 'digest unknown here'}`,
        ]
      : []),
    '',
    ...(turns.length > 0
      ? [
          ...table(
            turns,
            [
              { title: 'TURN', value: ({ turn }) => String(turn), right: true },
              { title: 'AUTHOR', value: ({ author }) => author },
              { title: 'STEP', value: ({ step }) => step.slice(0, 12) },
              { title: 'EVENT', value: ({ event }) => (event ? String(event.eventId) : '-'), right: true },
              { title: 'RESPONSE', value: ({ response }) => response.slice(0, 12) },
              { title: 'MODEL', value: ({ model }) => model, elastic: true },
            ],
            look.width,
          ).split('\n'),
          '',
        ]
      : []),
    `${count(verified.steps, 'step')} and ${count(verified.observations, 'observation')} hashed again`,
    ...(problems.length === 0
      ? ['everything fits']
      : [count(problems.length, 'problem'), ...problems.map((each) => `  ${safeLine(each)}`)]),
    ...(unknown.length > 0 ? ['cannot be told:', ...folded(unknown)] : []),
  ];
}

/** A reason that holds for every turn is said once. */
function folded(reasons: readonly string[]): string[] {
  const groups = new Map<string, number>();
  for (const reason of reasons) {
    const what = reason.replace(/^turn \d+: /, '');
    groups.set(what, (groups.get(what) ?? 0) + 1);
  }
  return [...groups].map(([what, times]) => `  ${safeLine(what)}${times > 1 ? ` (${times} turns)` : ''}`);
}
