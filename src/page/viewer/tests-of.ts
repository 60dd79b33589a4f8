import type { GradeResult, ProblemTests, TestOutcome } from '../../contract';
import { clip } from './clip';
import type { GradeView, TestGroup, TestView } from './payload';

export interface GradeBodies {
  /** Outcome by test id, as the grade's blob holds it; null where it cannot be read. */
  readonly outcomes: Readonly<Record<string, TestOutcome>> | null;
  readonly log: string | null;
  /** The problem's lists, where the problem is at hand. */
  readonly tests: Pick<ProblemTests, 'failToPass' | 'passToPass'> | null;
}

const LOG_CHARS = 40_000;

/** The verdict test by test: what was asked for and did not pass comes first. */
export function gradeView(grade: GradeResult, { outcomes, log, tests }: GradeBodies): GradeView {
  const asked = (name: TestGroup['name'], tally: GradeResult['failToPass'], ids: readonly string[] | undefined) => {
    const missing = new Set(tally.missing);
    const listed = ids ?? tally.missing;
    const group = listed.map((id): TestView => ({ id, outcome: outcomes?.[id] ?? null, passed: !missing.has(id) }));
    return { name, passed: tally.passed, total: tally.total, tests: failedFirst(group) };
  };
  const groups = [
    asked('FAIL_TO_PASS', grade.failToPass, tests?.failToPass),
    asked('PASS_TO_PASS', grade.passToPass, tests?.passToPass),
  ];
  const named = new Set(groups.flatMap((group) => group.tests.map(({ id }) => id)));
  const others = Object.entries(outcomes ?? {})
    .filter(([id]) => !named.has(id))
    .map(([id, outcome]): TestView => ({ id, outcome, passed: outcome === 'passed' }));
  const rest = { passed: others.filter(({ passed }) => passed).length, total: others.length };
  return {
    resolved: grade.resolved,
    verdict: grade.verdict,
    seconds: grade.seconds,
    groups: [
      ...groups,
      ...(others.length > 0 ? [{ name: 'other tests' as const, ...rest, tests: failedFirst(others) }] : []),
    ],
    flags: grade.flags,
    log: clip(log ?? '', LOG_CHARS, grade.log.sha256),
  };
}

function failedFirst(tests: readonly TestView[]): TestView[] {
  return [...tests.filter(({ passed }) => !passed), ...tests.filter(({ passed }) => passed)];
}
