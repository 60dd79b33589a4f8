import type { CampaignInput, ExitStatus, FunnelStage, HandOverPolicy, LossReason, Problem } from '../../src/contract';
import { drawSwitch } from '../../src/rollout/handover';
import { applied, type Case } from './cases';
import { tinyProblem } from './tiny-problem';

/** What a scripted author does in a turn. */
type Move = 'look' | 'loop' | 'read' | 'print' | 'fix' | 'break' | 'prose' | 'submit';

/** Moves in order, then the last one for ever. */
const STUDENTS = {
  succeeds: ['look', 'look', 'fix', 'submit'],
  loops: ['look', 'loop'],
  reads: ['look', 'read'],
  early: ['look', 'look', 'submit'],
  format: ['look', 'look', 'prose'],
  prints: ['look', 'print', 'look'],
  breaks: ['break', 'submit'],
} as const satisfies Record<string, readonly Move[]>;
const EXPERTS = {
  fixes: ['look', 'fix', 'submit'],
  fails: ['look', 'break', 'submit'],
  gives_up: ['submit'],
  lost: ['look', 'look'],
} as const satisfies Record<string, readonly Move[]>;

interface Instance {
  readonly id: string;
  readonly student: keyof typeof STUDENTS;
  readonly expert: keyof typeof EXPERTS;
}

const PAIRS: readonly (readonly [Instance['student'], Instance['expert']])[] = [
  ['succeeds', 'fixes'],
  ['loops', 'fixes'],
  ['early', 'fails'],
  ['format', 'fixes'],
  ['prints', 'gives_up'],
  ['reads', 'lost'],
  ['breaks', 'fixes'],
  ['early', 'fixes'],
  ['format', 'gives_up'],
  ['loops', 'fails'],
  ['prints', 'fixes'],
  ['succeeds', 'lost'],
];

/** How a repository is worked on: the same scripts play on any that says what its fix is. */
export interface Stage {
  /** Id of the problem. */
  readonly id: string;
  /** Words that only this problem's statement has. */
  readonly words: string;
  readonly fix: ScriptedAction;
  /** A change that mends nothing. */
  readonly breakIt: ScriptedAction;
  /** Whether the fix can still be made after the other change. */
  readonly independent: boolean;
}
interface ScriptedAction {
  readonly tool: string;
  readonly args: Record<string, unknown>;
}

const STEPS = 9;
/** Tokens: far more than an undisturbed run needs, and less than `print` prints. */
const CONTEXT = 20_000;
const PRINTED = 96_000;
const SEED = 11;
const METHODS = [
  { name: 'oec', student: 'student', expert: 'expert', handOver: { uniform: [0, 5] } },
  { name: 'bc', expert: 'expert', handOver: { at: 0 } },
  { name: 'on-policy', student: 'student', handOver: { never: true } },
] as const satisfies readonly { name: string; handOver: unknown; student?: string; expert?: string }[];

export interface ScriptedCampaign {
  readonly script: object;
  readonly profiles: Record<string, Record<string, unknown>>;
  /** All of the input but for the problems. */
  readonly input: Pick<CampaignInput, 'methods' | 'seed'> & { limits: object };
  /** What must come of it, by the drawn switch indices and the script alone. */
  readonly expected: Expected;
}

export interface Expected {
  readonly rollouts: number;
  /** Sound replies of the models, slips included. */
  readonly calls: number;
  /** By workflow id without the campaign's: calls, and how it ends. */
  readonly each: ReadonlyMap<string, Outcome>;
  /** By method: rollouts that reach each stage, and what the others were lost to. */
  readonly funnels: Readonly<Record<string, { stages: Record<string, number>; losses: Record<string, number> }>>;
}

interface Outcome {
  readonly status: ExitStatus;
  readonly resolved: boolean;
  readonly calls: number;
  readonly expertTurns: number;
  readonly k: number | null;
}

/** Problems of one small repository; what its function does decides whether the test passes. */
export async function tinyStages(count: number): Promise<{ stages: Stage[]; problems: Problem[] }> {
  const base = await tinyProblem();
  const edit = (new_str: string): ScriptedAction => ({
    tool: 'str_replace_editor',
    args: { command: 'str_replace', path: '/testbed/src/calc.py', old_str: 'a - b', new_str },
  });
  const stages = Array.from({ length: count }, (_, at): Stage => {
    const id = `tiny-${at}`;
    return { id, words: `Case ${id}:`, fix: edit('a + b'), breakIt: edit('a * b'), independent: false };
  });
  const problems = stages.map(
    ({ id, words }): Problem => ({
      ...base,
      id,
      statement: `${words} add(2, 3) gives -1; it should give 5.`,
      tests: {
        ...base.tests,
        command: 'python3 check_calc.py',
        parser: { kind: 'junit', report: 'report.xml' },
        failToPass: ['calc::adds'],
        files: [{ path: 'check_calc.py', content: CHECK }],
      },
    }),
  );
  return { stages, problems };
}

/** Recorded bug fixes, each so many times that every pair of authors meets one; each is mended by its own patch. */
export function caseStages(cases: readonly Case[]): Stage[] {
  const bash = (command: string): ScriptedAction => ({ tool: 'bash', args: { command } });
  return Array.from({ length: Math.ceil(PAIRS.length / cases.length) * cases.length }, (_, at) => {
    const each = cases[at % cases.length]!;
    const id = `${each.id.toLowerCase()}-${Math.floor(at / cases.length)}`;
    const breakIt = bash('echo tried > tried.txt');
    return { id, words: `Case ${id}:`, fix: bash(applied(each)), breakIt, independent: true };
  });
}

/** The problems of these stages: what was made of each case, told apart by its first words. */
export function caseProblems(stages: readonly Stage[], made: readonly Problem[]): Problem[] {
  return stages.map(({ id, words }, at) => {
    const problem = made[at % made.length]!;
    return { ...problem, id, statement: `${words} ${problem.statement}` };
  });
}

const CHECK = `import sys
sys.path.insert(0, "src")
from calc import add
verdict = "" if add(2, 3) == 5 else "<failure/>"
open("report.xml", "w").write(f'<testsuite><testcase classname="calc" name="adds">{verdict}</testcase></testsuite>')
`;

/** A campaign over these repositories, each with a student and an expert of its own kind. */
export function scriptedCampaign(stages: readonly Stage[], passes: Readonly<Record<string, number>>): ScriptedCampaign {
  const instances = stages.map(({ id }, at): Instance => {
    const [student, expert] = PAIRS[at % PAIRS.length]!;
    return { id, student, expert };
  });
  const methods = METHODS.map((method) => ({ ...method, passes: passes[method.name] ?? 1 }));
  return {
    script: {
      models: {
        student: { dialect: 'xml', position: 'turn', scenes: scenesOf(stages, instances, 'student') },
        expert: { dialect: 'tools', position: 'match', scenes: scenesOf(stages, instances, 'expert') },
      },
    },
    profiles: {
      student: { view: { dialect: 'xml' }, ...PRICED },
      expert: { view: { dialect: 'tools' }, ...PRICED },
    },
    input: {
      methods: methods as unknown as CampaignInput['methods'],
      seed: SEED,
      limits: { steps: STEPS, contextTokens: CONTEXT },
    },
    expected: expectedOf(stages, instances, methods),
  };
}

/** What a call may cost at most is little more than what it costs. */
const PRICED = { price: { input: 1, output: 2 }, maxOutputTokens: 200 };

function scenesOf(stages: readonly Stage[], instances: readonly Instance[], author: 'student' | 'expert') {
  return instances.map((instance, at) => {
    const stage = stages[at]!;
    const moves: readonly Move[] = author === 'student' ? STUDENTS[instance.student] : EXPERTS[instance.expert];
    const turn = (move: Move, n: number) => turnOf(stage, author, move, n);
    // Spelled out to the step limit, so that looking and reading go on to other places.
    const turns = Array.from({ length: STEPS + 1 }, (_, n) => turn(moves[Math.min(n, moves.length - 1)]!, n));
    const end = moves.at(-1)!;
    return { when: stage.words, turns: turns.slice(0, end === 'submit' ? moves.length : undefined), end: turn(end, 0) };
  });
}

function turnOf(stage: Stage, author: string, move: Move, n: number): unknown {
  const bash = (command: string) => ({ thought: `The ${author} at ${n}.`, tool: 'bash', args: { command } });
  switch (move) {
    case 'look':
      return bash(`ls -a | head -${n + 3}`);
    case 'loop':
      return bash('git status --short');
    case 'read':
      return bash(`sed -n '${n + 1},${n + 2}p' README.md`);
    case 'print':
      return bash(`head -c ${PRINTED} /dev/zero | tr '\\0' x | fold -w 127`);
    case 'fix':
      return { thought: `The ${author} mends it.`, ...stage.fix };
    case 'break':
      return { thought: `The ${author} tries something.`, ...stage.breakIt };
    case 'prose':
      return { malformed: 'prose' };
    case 'submit':
      return { thought: `The ${author} is done.`, tool: 'submit', args: {} };
    default:
      return move satisfies never;
  }
}

/** Plays a rollout on paper. */
function outcomeOf({ independent }: Stage, { student, expert }: Instance, k: number | null): Outcome {
  let [calls, expertTurns] = [0, 0];
  let [fixed, changed, printed, long] = [false, false, false, false];
  const end = (status: ExitStatus): Outcome => ({ status, resolved: fixed, calls, expertTurns, k });
  for (let turn = 1; ; turn++) {
    if (long) return end('limit_context');
    if (turn > STEPS) return end('limit_steps');
    const students = k === null || turn <= k;
    const moves: readonly Move[] = students ? STUDENTS[student] : EXPERTS[expert];
    const move = moves[Math.min(students ? turn - 1 : expertTurns, moves.length - 1)]!;
    if (move === 'prose') {
      calls += 3;
      return end('format_exhausted');
    }
    calls += 1;
    expertTurns += students ? 0 : 1;
    long = printed;
    if (move === 'submit') return end('submitted');
    if (move === 'print') printed = true;
    if (move === 'fix' && (independent || !changed)) [fixed, changed] = [true, true];
    if (move === 'break') changed = true;
  }
}

function expectedOf(
  stages: readonly Stage[],
  instances: readonly Instance[],
  methods: readonly { name: string; handOver: unknown; passes: number; expert?: string }[],
): Expected {
  const each = new Map<string, Outcome>();
  const funnels: Record<string, { stages: Record<string, number>; losses: Record<string, number> }> = {};
  let calls = 0;
  for (const { name, handOver, passes, expert } of methods) {
    const reached: Record<string, number> = Object.fromEntries(STAGES.map((stage) => [stage, 0]));
    const losses: Record<string, number> = {};
    for (const [at, instance] of instances.entries())
      for (let pass = 0; pass < passes; pass++) {
        const k = drawSwitch(handOver as HandOverPolicy, SEED, instance.id, pass).studentTurns;
        const outcome = outcomeOf(stages[at]!, instance, k);
        const changed = changedBy(instance, outcome);
        each.set(`${name}/${instance.id}/${pass}`, outcome);
        calls += outcome.calls;
        const lost = lossOf(outcome, expert !== undefined, changed);
        const until = lost ? STAGES.indexOf(lost[0]) : STAGES.length;
        for (const stage of STAGES.slice(0, until)) reached[stage]! += 1;
        if (lost) losses[lost[1]] = (losses[lost[1]] ?? 0) + 1;
      }
    funnels[name] = { stages: reached, losses };
  }
  return { rollouts: each.size, calls, each, funnels };
}

const STAGES: readonly FunnelStage[] = ['planned', 'started', 'handed_over', 'submitted', 'passed', 'not_doubtful'];

function lossOf(outcome: Outcome, handsOver: boolean, changed: boolean): [FunnelStage, LossReason] | undefined {
  const { status, resolved, expertTurns } = outcome;
  if (handsOver && expertTurns === 0)
    return ['handed_over', status === 'submitted' ? 'submitted_before_switch' : 'ended_before_switch'];
  if (status !== 'submitted') return ['submitted', status as LossReason];
  if (!resolved) return ['passed', changed ? 'tests_failed' : 'empty_patch'];
  return undefined;
}

/** Whether any turn that was made changed a file. */
function changedBy({ student, expert }: Instance, { k, expertTurns, calls }: Outcome): boolean {
  const changes = (moves: readonly Move[], turns: number) =>
    moves.slice(0, turns).some((move) => move === 'fix' || move === 'break');
  const studentTurns = k === null ? calls : Math.min(k, calls - expertTurns);
  return changes(STUDENTS[student], studentTurns) || changes(EXPERTS[expert], expertTurns);
}
