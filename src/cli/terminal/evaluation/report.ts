import type { CandidateOutcome, CandidateVerdict } from '../../../contract';
import { scoresOf } from '../../../evaluation/scores';
import { count, dollars, duration, grouped, moment } from '../../../pages/figures';
import type { Look } from '../../../pages/shown-run';
import { heading, wrapHard, wrapWords } from '../columns';
import { ink } from '../ink';
import { safeLine, safeLines } from '../safe-text';
import { type Column, table } from '../table';
import { figureLines, percent, verdictLine } from './figures';
import type { ShownEvaluation } from './shown-evaluation';

/** A whole evaluation: who solved what, how often, and what it cost. */
export function evaluationText(run: ShownEvaluation, look: Look): string {
  const { result, progress } = run;
  const paint = ink(look.coloured);
  return [
    ...evaluationHeader(run, look),
    '',
    ...(progress ? [progressLine(run), ''] : []),
    ...(result ? figureLines(result, look) : []),
    ...(run.problems.length > 0 && result
      ? [heading('problems', look), problemTable(run, look), ...legend(run, look), '']
      : []),
    ...(run.trouble ? wrapWords([safeLine(run.trouble)], look.width).map(paint.bad) : []),
    ...(result ? [paint.dim('`--problem ID` shows its candidates, `--report` the report as Markdown.')] : []),
    ...run.links.map(([label, target]) => `${label}  ${target}`),
  ]
    .join('\n')
    .trimEnd();
}

export function evaluationHeader(run: ShownEvaluation, look: Look): string[] {
  const { result, startedAt, endedAt } = run;
  const paint = ink(look.coloured);
  const ended = result && run.status === 'completed' ? result.status.replaceAll('_', ' ') : run.status;
  const colour = ended === 'complete' ? paint.good : run.status === 'running' ? paint.notice : paint.bad;
  const took = endedAt ? ` · ${duration(endedAt.getTime() - startedAt.getTime())}` : '';
  const asked = result
    ? [
        count(result.problems, 'problem'),
        `${count(result.samples, 'sample')} each`,
        `context ${result.context}`,
        ...(result.planFirst ? ['plan first'] : []),
      ]
    : [];
  return [
    paint.strong(safeLine([run.solver, ...(run.problemsOf ? [`on ${run.problemsOf}`] : [])].join(' '))),
    safeLine(run.id),
    `${colour(ended)} · ${moment(startedAt)} UTC${took}`,
    ...(asked.length > 0 ? wrapWords([asked.join(', ')], look.width) : []),
    ...(result
      ? [
          `${result.solved} of ${count(result.problems, 'problem')} solved by a first answer · ${dollars(result.cost.usd)}, ${grouped(result.cost.tokens)} tokens`,
          verdictLine(result.verdicts, look),
        ]
      : []),
  ];
}

export function progressLine({ progress }: Pick<ShownEvaluation, 'progress'>): string {
  if (!progress) return 'no worker answers';
  const { phase, done, candidates, toRepair, passed, inFlight, paused, cost } = progress;
  return [
    paused ? 'paused' : phase.toLowerCase(),
    // Repairs are candidates too, and nobody knows how many there will be.
    toRepair === null
      ? `${done} of ${candidates} candidates done`
      : `${grouped(done)} candidates done, ${count(toRepair, 'problem')} to repair`,
    `${passed} passed`,
    `${inFlight} in flight`,
    dollars(cost.usd),
  ].join(' · ');
}

/** The marks that occur. */
function legend({ outcomes }: ShownEvaluation, look: Look): string[] {
  const seen = new Set(outcomes.map(({ verdict }) => verdict));
  const said = Object.entries(MARKS).filter(([verdict]) => seen.has(verdict as CandidateVerdict));
  const words = said.map(([verdict, mark]) => `${mark} ${verdict.replaceAll('_', ' ')}`).join(', ');
  return wrapWords([words], look.width).map(ink(look.coloured).dim);
}

interface Row {
  readonly id: string;
  readonly dependencies: number;
  readonly outOfFile: boolean;
  readonly judged: number;
  readonly passed: number;
  readonly first: readonly CandidateOutcome[];
  readonly repairs: readonly CandidateOutcome[];
}

function problemTable({ problems, outcomes }: ShownEvaluation, look: Look): string {
  const of = new Map<string, CandidateOutcome[]>();
  for (const outcome of outcomes) of.set(outcome.problem, [...(of.get(outcome.problem) ?? []), outcome]);
  const rows = scoresOf(problems, outcomes).map(({ problem, judged, passed }): Row => {
    const own = of.get(problem.id) ?? [];
    const [first, repairs] = [own.filter(({ repair }) => repair === 0), own.filter(({ repair }) => repair > 0)];
    return { ...problem, judged, passed, first, repairs };
  });
  const repaired = rows.some(({ repairs }) => repairs.length > 0);
  return table(rows, repaired ? [...COLUMNS, REPAIR] : COLUMNS, look.width);
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'PROBLEM', value: ({ id }) => id, elastic: true },
  {
    title: 'DEPS',
    value: ({ dependencies, outOfFile }) => `${dependencies}${outOfFile ? ' out' : ' in'}`,
    right: true,
  },
  { title: 'PASSED', value: ({ passed, judged }) => `${passed}/${judged}`, right: true },
  { title: 'PASS@1', value: ({ passed, judged }) => (judged === 0 ? '-' : percent(passed / judged)), right: true },
  { title: 'SAMPLES', value: ({ first }) => first.map(({ verdict }) => MARKS[verdict]).join(''), elastic: true },
];
const REPAIR: Column<Row> = {
  title: 'REPAIR',
  value: ({ repairs }) => repairs.map(({ verdict }) => MARKS[verdict]).join(''),
};

/** One character a candidate, so that twenty samples fit into a table. */
const MARKS: Readonly<Record<CandidateVerdict, string>> = {
  passed: '✓',
  different: '≠',
  raised: '!',
  timeout: 't',
  crashed: 'x',
  unreadable: '?',
  misplaced: 'm',
  too_long: 'l',
  unanswered: '-',
  unjudged: '-',
};

export interface ShownCandidate extends CandidateOutcome {
  /** Source, where there is one. */
  readonly source: string | null;
}

/** Lines of a candidate's source and of what told it from the reference, where not all is asked for. */
const SHOWN_LINES = 24;

/** The candidates of one problem: what each was, and the first case that told it from the reference. */
export function candidateLines(candidates: readonly ShownCandidate[], look: Look): string[] {
  const paint = ink(look.coloured);
  return candidates.flatMap(({ sample, repair, verdict, passed, cases, detail, source, cost }) => {
    const name = repair === 0 ? `sample ${sample + 1}` : `repair ${repair} of sample ${sample + 1}`;
    const colour = passed ? paint.good : paint.bad;
    const price = cost.tokens > 0 ? ` · ${dollars(cost.usd)}, ${cost.tokens} tokens` : '';
    return [
      heading(name, look),
      `${colour(verdict.replaceAll('_', ' '))} · ${cases.passed} of ${cases.total} cases${price}`,
      ...folded(detail, look).map((line) => `  ${line}`),
      ...(source === null ? [] : ['', ...folded(source, look).map((line) => paint.dim(`│ ${line}`))]),
      '',
    ];
  });
}

function folded(text: string, look: Look): string[] {
  if (text === '') return [];
  const lines = wrapHard(safeLines(text.trimEnd()), look.width - 2);
  if (look.full || lines.length <= SHOWN_LINES) return lines;
  return [...lines.slice(0, SHOWN_LINES), `… ${lines.length - SHOWN_LINES} more lines: --full`];
}
