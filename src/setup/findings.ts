import type { Charge, Evidence, Finding, JudgeMove } from '../contract';
import type { Observed, Seen } from './roles/role';
import type { EvidenceOfMoves } from './verdict';

type Rerun = Extract<JudgeMove, { move: 'rerun' }>;
type Find = Extract<JudgeMove, { move: 'find' }>;
/** What has to be known of a charge to weigh a finding on it. */
type Brought = Pick<Charge, 'id' | 'kind'> & { readonly evidence: Pick<Evidence, 'command'> };

/** Runs that the judge may make for one charge. */
export const MOST_RERUNS = 2;

/** The move with the charge's own command, where it runs again and names none: nobody has to copy a long one. */
export function ownCommand(move: Record<string, unknown>, charges: readonly Brought[]): Record<string, unknown> {
  const own = charges.find(({ id }) => id === move.charge)?.evidence.command;
  return move.move === 'rerun' && move.command === undefined && own !== undefined ? { ...move, command: own } : move;
}

/** Why the judge may not make this move; null when it may. What is refused does nothing and is told as the observation. */
export function refusal(seen: readonly Seen<JudgeMove>[], move: JudgeMove, charges: readonly Brought[]): string | null {
  return move.move === 'rerun' ? rerunRefused(seen, move, charges) : findingRefused(seen, move, charges);
}

/** A run more than there may be; or the last one, where it leaves no room for the one that every finding needs. */
export function rerunRefused(
  seen: readonly Seen<JudgeMove>[],
  { charge, command }: Rerun,
  charges: readonly Brought[],
): string | null {
  const brought = charges.find(({ id }) => id === charge);
  if (!brought) return `There is no charge ${charge}.`;
  const runs = runsFor(seen, charge);
  if (runs.length >= MOST_RERUNS) return `Charge ${charge} was run ${MOST_RERUNS} times already. Give your finding.`;
  const last = runs.length === MOST_RERUNS - 1;
  if (last && command?.trim() !== brought.evidence.command.trim() && !runs.some(isOwn(brought)))
    return `This is the last run for charge ${charge}, and it has to be the charge's own command: leave "command" out.`;
  return null;
}

/**
 * A finding is believed as far as its runs bear it out, so that nobody's word decides: whoever upholds has seen a run fail,
 * whoever finds nothing in it has seen one succeed, and every ground needs the charge's own command run again.
 */
export function findingRefused(
  seen: readonly Seen<JudgeMove>[],
  { charge, upheld, ground }: Find,
  charges: readonly Brought[],
): string | null {
  const brought = charges.find(({ id }) => id === charge);
  if (!brought) return `There is no charge ${charge}.`;
  if (upheld !== (ground === 'reproduced'))
    return `Charge ${charge} is upheld on the ground reproduced, and on no other; "upheld": ${upheld} and "${ground}" contradict each other.`;
  const runs = runsFor(seen, charge);
  if (!runs.some(isOwn(brought)))
    return `A finding on charge ${charge} needs the charge's own command run again first: rerun without "command".`;
  if (upheld && !runs.some(({ observed }) => observed.exitCode !== 0))
    return `Charge ${charge} is not reproduced: no run for charge ${charge} failed.`;
  if (ground === 'not_reproduced' && !runs.some(({ observed }) => succeeded(brought, observed)))
    return `Charge ${charge} cannot be "not_reproduced": no run for charge ${charge} succeeded.`;
  return null;
}

/** Runs for a charge that took place: one that was refused has neither ended nor been stopped. */
function runsFor(seen: readonly Seen<JudgeMove>[], charge: number): Seen<JudgeMove>[] {
  return seen.filter(
    ({ move, observed }) =>
      move.move === 'rerun' && move.charge === charge && (observed.exitCode !== null || observed.timedOut),
  );
}

const isOwn =
  ({ evidence }: Brought) =>
  ({ move }: Seen<JudgeMove>) =>
    move.move === 'rerun' && move.command?.trim() === evidence.command.trim();

/** A program that was still running at its deadline did start, which is all that its charge asks for. */
function succeeded({ kind }: Brought, { exitCode, timedOut }: Observed): boolean {
  return exitCode === 0 || (timedOut && kind === 'entry_point');
}

/** The judge's accepted findings, each with the runs that it rests on. The last one on a charge counts. */
export function findingsOf(
  moves: readonly Seen<JudgeMove>[],
  evidence: EvidenceOfMoves,
  charges: readonly Brought[],
): Finding[] {
  const findings = new Map<number, Finding>();
  for (const [at, { move }] of moves.entries()) {
    const before = moves.slice(0, at);
    if (move.move !== 'find' || findingRefused(before, move, charges) !== null) continue;
    const { charge, upheld, ground, why } = move;
    const runs = runsFor(before, charge).flatMap((run) => evidence[moves.indexOf(run)] ?? []);
    findings.set(charge, { charge, upheld, ground, why, evidence: runs });
  }
  return [...findings.values()];
}
