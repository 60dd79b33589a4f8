import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Flag } from '../contract/problem';
import type { Canary } from './canaries';
import { foldReports, type Outcomes, outcomeOf, type PhaseReport } from './outcomes';

const Record = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('begin'), n: z.int(), python: z.string(), pytest: z.string() }),
  z.object({
    kind: z.literal('report'),
    n: z.int(),
    id: z.string(),
    when: z.enum(['setup', 'call', 'teardown', 'collect']),
    outcome: z.enum(['passed', 'failed', 'skipped']),
    xfail: z.boolean(),
  }),
  z.object({ kind: z.literal('tampered'), n: z.int(), what: z.string(), detail: z.string() }),
  z.object({ kind: z.literal('note'), n: z.int(), what: z.string(), detail: z.string() }),
  z.object({ kind: z.literal('end'), n: z.int(), exit: z.int(), collected: z.int() }),
]);

export interface Evidence {
  /** The problem's tests only. */
  readonly outcomes: Outcomes;
  /** Why the run cannot be believed; empty for an honest one. */
  readonly forged: readonly Flag[];
  /** Whether pytest came to its own end. */
  readonly complete: boolean;
  readonly began: boolean;
}

/**
 * Reads what the witness sent: one signed, numbered record a line. Anything on the pipe that the witness did not write,
 * a number out of turn, a witness's own alarm, or a canary that ended otherwise than it must, is forgery.
 */
export function readEvidence(stream: string, secret: string, canaries: readonly Canary[]): Evidence {
  const forged = new Map<string, Flag>();
  const flag = (kind: string, detail: string) =>
    forged.set(kind, forged.get(kind) ?? { kind, detail: detail.slice(0, 300) });
  const reports: PhaseReport[] = [];
  let expected = 1;
  let began = false;
  let complete = false;
  let noFunctions = false;
  for (const line of stream.split('\n')) {
    if (line === '') continue;
    const record = authentic(line, secret);
    if (!record || record.n !== expected++) {
      flag('report_forged', record ? `record ${record.n} out of turn` : `not signed: ${line.slice(0, 120)}`);
      continue;
    }
    if (complete) flag('report_forged', 'records after the end of the session');
    if (record.kind === 'begin') began = true;
    else if (record.kind === 'end') complete = true;
    else if (record.kind === 'tampered') flag(record.what, record.detail);
    else if (record.kind === 'note') noFunctions ||= record.what === 'no_function_canaries';
    else reports.push({ id: record.id, when: record.when, outcome: record.outcome, expectedFailure: record.xfail });
  }
  const all = foldReports(reports);
  const known = Object.assign({}, ...canaries.map((canary) => canary.expected)) as Outcomes;
  const files = new Set(canaries.map((canary) => canary.path));
  const own = Object.entries(all).filter(([id]) => !files.has(id.split('::')[0]!));
  // A session that broke off before its first test (a file that cannot be imported) has no outcomes to believe or not.
  if (own.some(([id]) => wasRun(id))) {
    for (const [id, outcome] of Object.entries(known)) {
      const got = outcomeOf(all, id);
      if (got === outcome || (got === undefined && (!complete || (noFunctions && id.split('::').length === 2))))
        continue;
      flag(got === 'passed' ? 'canary_passed' : 'canary_lost', `${id}: ${got ?? 'never ran'} instead of ${outcome}`);
    }
  }
  return { outcomes: Object.fromEntries(own), forged: [...forged.values()], complete, began };
}

/** Whether an id names a test that began; a file that could not be imported is reported under an id of its own. */
export function wasRun(id: string): boolean {
  return !id.endsWith('::<collect>');
}

function authentic(line: string, secret: string): z.infer<typeof Record> | undefined {
  const space = line.indexOf(' ');
  const body = line.slice(space + 1);
  const signature = Buffer.from(line.slice(0, Math.max(space, 0)));
  const own = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
  if (signature.length !== own.length || !timingSafeEqual(signature, own)) return undefined;
  try {
    return Record.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
