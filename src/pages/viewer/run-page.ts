import type {
  AwaitedPerson,
  ControlCheck,
  FrameRecord,
  GradeResult,
  HandOverPolicy,
  Opening,
  ProblemTests,
  Ref,
  Rejected,
  Step,
  TestOutcome,
  Timing,
  TrialRecord,
} from '../../contract';
import { clip, clipLimit, EMPTY } from './clip';
import { maskOf, type Training, usualTraining } from './mask';
import type { ControlView, GradeView, RunLine, RunPage, TestGroup, TestView, TurnView } from './payload';
import { refusedView, turnView } from './turn-view';

/** What is known of a run besides its chain. */
export interface PageFacts {
  readonly line: RunLine;
  readonly live: boolean;
  readonly phase: string | null;
  /** The turn that a person has to make. */
  readonly awaiting?: AwaitedPerson;
  readonly policy: HandOverPolicy | null;
  readonly head: string | null;
  readonly trouble: string | null;
  /** Replies that no step holds. */
  readonly refused: readonly Rejected[];
  readonly links: readonly (readonly [string, string])[];
  /** As a data set has it; null where none was chosen. */
  readonly training: Training | null;
  /** Tree id of the work directory at the end. */
  readonly workspace: string | null;
}

/** A chain with the bodies that a page begins with. */
export interface LoadedChain {
  readonly opening: Opening;
  readonly steps: readonly Step[];
  readonly hashes: readonly string[];
  /** By index of the step. */
  readonly observations: readonly string[];
  readonly timings: ReadonlyMap<number, Timing>;
}

export interface Ending {
  readonly patch: { readonly text: string; readonly ref: Ref } | null;
  readonly grade: GradeView | null;
}

const PATCH_CHARS = 400_000;
const STATEMENT_CHARS = 1_000_000;

/** A rollout as a page; without a chain, what the server or its row says of it. */
export function rolloutPage(facts: PageFacts, chain: LoadedChain | null, { patch, grade }: Ending): RunPage {
  const turns = chain ? turnsOf(chain, facts) : [];
  return {
    ...pageOf(facts, turns),
    line: { ...facts.line, ...(facts.line.turns || turns.length === 0 ? {} : countedLine(facts.line, turns)) },
    statement: clip(chain?.opening.statement ?? '', STATEMENT_CHARS),
    workdir: chain?.opening.workdir ?? '',
    patch: patch && clip(patch.text, PATCH_CHARS, patch.ref.sha256),
    grade,
  };
}

/** A set-up as a page. */
export function setupPage(
  facts: PageFacts,
  turns: readonly TurnView[],
  frames: readonly FrameRecord[],
  trials: readonly TrialRecord[],
): RunPage {
  return { ...pageOf(facts, turns), frames, trials };
}

function pageOf(facts: PageFacts, turns: readonly TurnView[]): RunPage {
  const { line, live, phase, policy, head, trouble, links, awaiting } = facts;
  const limit = clipLimit(turns.length + facts.refused.length);
  const refused = facts.refused.map((each) => refusedView(each, limit));
  const rest = { statement: EMPTY, workdir: '', refused, patch: null, grade: null, frames: [], trials: [] };
  return { line, live, phase, ...(awaiting ? { awaiting } : {}), policy, turns, head, trouble, links, ...rest };
}

function turnsOf(chain: LoadedChain, { workspace, training }: PageFacts): TurnView[] {
  const { steps, hashes, observations, timings } = chain;
  const limit = clipLimit(steps.length);
  const made = steps.map(({ turn }) => turn);
  const masks = maskOf(made, training ?? usualTraining(made));
  return steps.map((step, at) => {
    const timing = timings.get(step.turn.turn);
    const beside = {
      hash: hashes[at]!,
      observation: observations[at]!,
      durationMs: timing?.durationMs ?? null,
      redone: timing?.redone ?? 0,
      trained: masks[at]!.trained,
      after: steps[at + 1]?.workspace ?? (at === steps.length - 1 ? workspace : null),
    };
    return { ...turnView(step, beside, limit), unfaithful: step.turn.unfaithful ?? !masks[at]!.faithful };
  });
}

/** Figures of a run that has no result yet, or whose workflow nobody knows, out of its turns. */
function countedLine(line: RunLine, turns: readonly TurnView[]): Partial<RunLine> {
  const by = (who: TurnView['who']) => turns.filter((turn) => turn.who === who);
  const sum = (of: (turn: TurnView) => number) => turns.reduce((total, turn) => total + of(turn), 0);
  return {
    turns: {
      total: turns.length,
      student: by('student').length,
      expert: by('expert').length,
      refused: sum(({ refused }) => refused.length),
    },
    expertFrom: line.expertFrom ?? by('expert')[0]?.turn ?? null,
    usd: line.usd ?? sum(({ usage }) => usage.costUsd),
    tokens: line.tokens ?? sum(({ usage }) => usage.promptTokens + usage.completionTokens),
  };
}

export interface GradeBodies {
  /** Outcome by test id, as the grade's blob holds it; null where it cannot be read. */
  readonly outcomes: Readonly<Record<string, TestOutcome>> | null;
  readonly log: string | null;
  /** Of the runs with wrong expectations, as far as they can be read. */
  readonly checks: readonly ControlCheck[];
  /** The problem's lists, where the problem is at hand. */
  readonly tests: Pick<ProblemTests, 'failToPass' | 'passToPass'> | null;
}

const LOG_CHARS = 40_000;

/** The verdict test by test: what was asked for and did not pass comes first. */
export function gradeView(grade: GradeResult, { outcomes, log, checks, tests }: GradeBodies): GradeView {
  const controls = new Map<string, ControlView[]>();
  for (const { test, line, was, now, outcome } of checks) {
    controls.set(test, [...(controls.get(test) ?? []), { line, was, now, outcome }]);
  }
  const view = (id: string, outcome: string | null, passed: boolean): TestView => ({
    id,
    outcome,
    passed,
    controls: controls.get(id) ?? [],
  });
  const asked = (name: TestGroup['name'], tally: GradeResult['failToPass'], ids: readonly string[] | undefined) => {
    const missing = new Set(tally.missing);
    const listed = ids ?? tally.missing;
    const passed = (id: string) => (outcomes ? outcomes[id] === 'passed' : !missing.has(id));
    const group = listed.map((id) => view(id, outcomes?.[id] ?? null, passed(id)));
    return { name, passed: tally.passed, total: tally.total, tests: failedFirst(group) };
  };
  const groups = [
    asked('FAIL_TO_PASS', grade.failToPass, tests?.failToPass),
    asked('PASS_TO_PASS', grade.passToPass, tests?.passToPass),
  ];
  const named = new Set(groups.flatMap((group) => group.tests.map(({ id }) => id)));
  const others = Object.entries(outcomes ?? {})
    .filter(([id]) => !named.has(id))
    .map(([id, outcome]) => view(id, outcome, outcome === 'passed'));
  const rest = { passed: others.filter(({ passed }) => passed).length, total: others.length };
  return {
    resolved: grade.resolved,
    verdict: grade.verdict,
    seconds: grade.seconds,
    groups: [
      ...groups,
      ...(others.length > 0 ? [{ name: 'other tests' as const, ...rest, tests: failedFirst(others) }] : []),
    ],
    detail: grade.detail ?? null,
    controls: grade.controls,
    suspicion: grade.suspicion,
    leftOut: grade.leftOut,
    runs: grade.runs.map(({ name, seconds }) => ({ name, seconds })),
    log: clip(log ?? '', LOG_CHARS, grade.log.sha256),
  };
}

function failedFirst(tests: readonly TestView[]): TestView[] {
  return [...tests.filter(({ passed }) => !passed), ...tests.filter(({ passed }) => passed)];
}
