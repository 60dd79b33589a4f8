import type {
  Charge,
  Evidence,
  Finding,
  ProsecutorMove,
  SetupVerdictResult,
  TestCounts,
  VerifierMove,
  VerifierResult,
} from '../contract';
import { filtersOf } from './roles/filters';
import { NO_COUNTS, type Seen } from './roles/role';
import { readCounts, type TestReading } from './test-output';
import { failedUncounted, failuresOf, WHOLE_RUN } from './test-output/failures';

export { WHOLE_RUN } from './test-output/failures';

/** What a move's command did, in the order of the moves; null for a move that runs nothing. */
export type EvidenceOfMoves = readonly (Evidence | null)[];

type Failure = VerifierResult['failures'][number];

interface Run {
  readonly at: number;
  readonly move: Extract<VerifierMove, { move: 'run_tests' }>;
  readonly reading: TestReading | null;
  readonly counts: TestCounts;
}

/**
 * What a verifier's moves amount to. Its own `success` is necessary and never sufficient: tests must have passed (or, where
 * no test was collected, a smoke test), every failure must be classified, none as the set-up's, and a run that ended badly
 * without saying which test failed is the set-up's as well. Of several runs in one repository the one that collected most
 * counts, so that a narrower one cannot replace it; and each repository of a family is held to its own, so that a large one
 * cannot hide a small one. `components` are the directories of the others.
 */
export function verifierResult(
  moves: readonly Seen<VerifierMove>[],
  evidence: EvidenceOfMoves,
  head: string,
  components: readonly string[] = [],
): VerifierResult {
  const concluded = moves.findLast(({ move }) => move.move === 'conclude')?.move;
  const said = concluded?.move === 'conclude' ? concluded : null;
  const held = mostOfEach(runsOf(moves), components);
  const smoke = smokePassed(moves, evidence);
  const failures = classifiedBy(moves);
  const isFaulty = (run: Run) => {
    const shown = shownBy(run, { ...moves[run.at]!.observed, ...endOf(evidence[run.at]) }, smoke);
    for (const failure of shown) if (!failures.has(failure.test)) failures.set(failure.test, failure);
    return shown.some(({ test }) => failures.get(test)?.class === 'setup');
  };
  const faulty = held.filter(isFaulty);
  // What is shown is what stands in the way; where nothing does, the most tests.
  const run = faulty[0] ?? mostTests(held);
  const counts = run?.counts ?? NO_COUNTS;
  const bySmoke = counts.collected === 0 && smoke;
  const tested = counts.passed > 0 || bySmoke;
  const hints = [said?.hint ?? 'the verifier did not come to a conclusion'];
  const filters = new Set(held.flatMap(({ at, move }) => filtersOf(move.command, moves[at]!.observed.output)));
  if (filters.size > 0) hints.push(`filtered: ${[...filters].join(', ')}`);
  if (said?.success && !tested) {
    hints.push(
      counts.collected > 0
        ? `of ${counts.collected} tests none passed`
        : 'no test was collected, and no smoke test passed',
    );
  }
  return {
    success: said?.success === true && tested && [...failures.values()].every(({ class: kind }) => kind !== 'setup'),
    framework: run?.reading?.framework ?? run?.move.framework ?? null,
    counts,
    evidence: evidence[bySmoke ? smokeAt(moves) : (run?.at ?? -1)] ?? null,
    failures: [...failures.values()],
    smoke: bySmoke,
    hint: hints.filter((hint) => hint !== '').join('; '),
    head,
  };
}

function runsOf(moves: readonly Seen<VerifierMove>[]): Run[] {
  return moves.flatMap(({ move, observed }, at) => {
    if (move.move !== 'run_tests') return [];
    const reading = readCounts(move.command, observed.output);
    return [{ at, move, reading, counts: reading?.counts ?? NO_COUNTS }];
  });
}

/** The run with most tests of each repository, the last of several that are alike. */
function mostOfEach(runs: readonly Run[], components: readonly string[]): Run[] {
  const repositories = [null, ...components];
  const each = repositories.map((own) => runs.filter(({ move }) => ranIn(move.command, components) === own));
  return each.flatMap((own) => mostTests(own) ?? []);
}

function mostTests(runs: readonly Run[]): Run | null {
  return runs.reduce<Run | null>(
    (best, next) => (best && best.counts.collected > next.counts.collected ? best : next),
    null,
  );
}

/** The component that a command went to, or that it names where it went nowhere; null for the main repository. */
function ranIn(command: string, components: readonly string[]): string | null {
  const directory = /(?:^|[;&|({\n][ \t]*)cd\s+(?:--\s+)?["']?(\/[^\s"';&|]*)/.exec(command)?.[1];
  const paths = directory === undefined ? command.split(/[\s"'=:;&|()]+/) : [directory];
  return components.find((own) => paths.some((path) => `${path}/`.startsWith(`${own}/`))) ?? null;
}

function classifiedBy(moves: readonly Seen<VerifierMove>[]): Map<string, Failure> {
  const classified = new Map<string, Failure>();
  for (const { move } of moves) {
    if (move.move === 'classify') for (const failure of move.failures) classified.set(failure.test, failure);
  }
  return classified;
}

/** What failed in a run, as it counts while nobody classified it: as the set-up's. */
function shownBy({ move, counts }: Run, ended: Seen<VerifierMove>['observed'], smoke: boolean): Failure[] {
  const { named, whole } = failuresOf(move.command, ended);
  const failures = named.map((test): Failure => ({ test, ...UNCLASSIFIED }));
  const untested = counts.collected === 0 && smoke && !ended.timedOut && !failedUncounted(ended);
  if (whole === null || untested) return failures;
  return [...failures, { test: WHOLE_RUN, class: 'setup', why: whole.why }];
}

/** What was measured of a run goes before what its role was told. */
function endOf(evidence: Evidence | null | undefined): Partial<Pick<Evidence, 'exitCode' | 'timedOut'>> {
  return evidence ? { exitCode: evidence.exitCode, timedOut: evidence.timedOut } : {};
}

const UNCLASSIFIED = { class: 'setup', why: 'nobody classified it' } as const;

function smokeAt(moves: readonly Seen<VerifierMove>[]): number {
  return moves.findLastIndex(({ move }) => move.move === 'smoke');
}

function smokePassed(moves: readonly Seen<VerifierMove>[], evidence: EvidenceOfMoves): boolean {
  const last = smokeAt(moves);
  return last >= 0 && (evidence[last] ?? moves[last]!.observed).exitCode === 0;
}

/** Charges that their own evidence bears out: a command that ended with 0 shows that there is nothing in it. */
export function chargesOf(moves: readonly Seen<ProsecutorMove>[], evidence: EvidenceOfMoves): Charge[] {
  const charges: Charge[] = [];
  for (const [at, { move }] of moves.entries()) {
    const shown = evidence[at];
    if (move.move !== 'charge' || !shown || shown.exitCode === 0) continue;
    const { kind, claim, declared } = move;
    charges.push({ id: charges.length + 1, kind, claim, declared, evidence: shown });
  }
  return charges;
}

/**
 * One upheld charge is guilty, whatever became of the others. A charge without a finding, a prosecutor who did not rest, and
 * any other outage are `error`: never a pass. `outage` says what went wrong.
 */
export function verdictOf(
  charges: readonly Pick<Charge, 'id'>[],
  findings: readonly Pick<Finding, 'charge' | 'upheld'>[],
  outage?: string,
): Pick<SetupVerdictResult, 'verdict' | 'detail'> {
  const known = findings.filter(({ charge }) => charges.some(({ id }) => id === charge));
  const upheld = known.filter((finding) => finding.upheld).map(({ charge }) => charge);
  if (upheld.length > 0) return { verdict: 'guilty', detail: outage };
  if (outage !== undefined) return { verdict: 'error', detail: outage };
  const open = charges.filter(({ id }) => !known.some(({ charge }) => charge === id)).map(({ id }) => id);
  if (open.length > 0) return { verdict: 'error', detail: `no finding on charge ${open.join(', ')}` };
  return { verdict: 'not_guilty' };
}
